import type { EngineEvent, Guesses } from '../../src/contract/events.ts';
import type { TextEngine, TextRequest } from '../../src/engine/engine.ts';

/** A reply of an engine, with the number of its guessed tokens and of the prompt's tokens that were kept from before. */
export interface WrittenReply {
  text: string;
  /** The drawn tokens, if the request has a journal. */
  tokens: number[];
  guesses: Guesses;
  cached: number;
}

/** Has an engine write all choices of a request, and returns the drawn tokens of each. The request has a journal. */
export async function writeChoices(engine: Pick<TextEngine, 'generate'>, request: TextRequest): Promise<number[][]> {
  const drawn = Array.from({ length: request.choices }, (): number[] => []);
  const take = (event: EngineEvent) => {
    if (event.kind === 'drawn') drawn[event.choice]?.push(event.token);
  };
  await engine.generate(request, take, new AbortController().signal);
  return drawn;
}

/** Has an engine write a reply to its end. */
export async function writeReply(engine: Pick<TextEngine, 'generate'>, request: TextRequest): Promise<WrittenReply> {
  const events: EngineEvent[] = [];
  await engine.generate(request, (event) => events.push(event), new AbortController().signal);
  const done = events.find((event) => event.kind === 'done');
  return {
    text: events.map((event) => (event.kind === 'text' ? event.text : '')).join(''),
    tokens: events.flatMap((event) => (event.kind === 'drawn' ? [event.token] : [])),
    guesses: (done?.kind === 'done' ? done.guesses : undefined) ?? { made: 0, right: 0 },
    cached: done?.kind === 'done' ? done.cachedTokens : 0,
  };
}
