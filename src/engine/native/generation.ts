import { createDetokenizer } from '../../chat/detokenizer.ts';
import { createStopFilter, foldCase } from '../../chat/stop-sequences.ts';
import { insufficientMemory } from '../../contract/errors.ts';
import type { EngineEvent, FinishReason, Guesses, TokenLogprob } from '../../contract/events.ts';
import type { PromptScorer } from './draw/prompt-scores.ts';
import type { Drawn } from './draw/token-drawer.ts';
import type { Gain, Proposal, TokenSource } from './draw/token-source.ts';
import type { Place } from './llama/addon-context.ts';
import type { Part } from './llama/decoder.ts';
import type { Token } from './llama/llama.ts';
import type { Sequence } from './llama/sequence.ts';
import type { Steppable } from './step/step-loop.ts';

export interface GenerationOptions {
  choice: number;
  sequence: Sequence;
  /** All tokens to evaluate before one is drawn: the prompt, and what another engine had drawn of the reply. */
  prompt: readonly Token[];
  /** The tokens of the text that the reply goes on with; none if it begins a new one. */
  before: Token[];
  /** The part of the reply that another engine had drawn and said. */
  replayed: { tokens: Token[]; logprobs: TokenLogprob[] };
  /** Prompt tokens that the sequence holds already. */
  cached: number;
  /** Tells the log probabilities of the prompt's tokens, if they are asked for. */
  scorer?: PromptScorer | undefined;
  /** Called after each chunk of the prompt with the number of evaluated prompt tokens. The next step waits for it. */
  onPrefill: (evaluated: number) => Promise<void>;
  /** The number of evaluated tokens at which the next chunk ends at the latest. */
  pauseAt: () => number;
  source: TokenSource;
  /** Returns the text of tokens. `before` has the few tokens before them. */
  textOf: (tokens: Token[], before: Token[]) => string;
  stop: string[];
  banned: string[];
  maxTokens: number | null;
  toLogprob: (drawn: Drawn) => TokenLogprob;
  /** Whether to say each token as it is drawn. */
  journal: boolean;
  emit: (event: EngineEvent) => void;
  signal: AbortSignal;
}

/** The result of a generation. Times are `performance.now()`, in ms. */
export interface GenerationOutcome {
  tokens: number;
  guesses: Guesses;
  firstTokenAt: number;
}

/**
 * Runs one choice on one slot: prefill in chunks, then one token per step until it ends. `onFinished` gets null as the
 * outcome if the generation was cancelled or failed.
 */
export function createGeneration(
  options: GenerationOptions,
  onFinished: (outcome: GenerationOutcome | null, error?: unknown) => void,
): Steppable {
  const { choice, sequence, prompt, source, scorer, emit, signal, maxTokens } = options;
  const detokenizer = createDetokenizer(
    (tokens, before) => options.textOf(tokens as Token[], before as Token[]),
    options.before,
  );
  const stops = createStopFilter(options.stop);
  const filter = createStopFilter(options.banned, foldCase);
  const startedAt = performance.now();
  /** What is evaluated before a token is drawn. */
  const toEvaluate = [...prompt, ...source.opening];
  let evaluated = options.cached;
  let proposal: Proposal | undefined;
  let part: Part | undefined;
  let generated = 0;
  /** Tokens of the reply that came from the source. */
  let added = 0;
  let firstTokenAt = 0;
  let finished = false;
  let logprobs: TokenLogprob[] = [];
  /** Tokens drawn since text was said. */
  let unsaid = 0;

  const say = (text: string) => {
    if (text === '') return;
    emit({ kind: 'text', choice, text, tokens: unsaid, ...(logprobs.length > 0 && { logprobs }) });
    logprobs = [];
    unsaid = 0;
  };

  /** Brings the filters to where another engine left them; what comes out has been said. */
  const replay = ({ tokens, logprobs: known }: GenerationOptions['replayed']) => {
    for (const [index, token] of tokens.entries()) {
      generated += 1;
      logprobs.push(...known.slice(index, index + 1));
      if (stops.push(filter.push(detokenizer.push(token))) !== '') logprobs = [];
    }
  };

  const release = (outcome: GenerationOutcome | null, error?: unknown) => {
    finished = true;
    source.close();
    scorer?.close();
    onFinished(outcome, error);
  };

  const finish = (reason: FinishReason) => {
    say((filter.stopped ? '' : stops.push(filter.flush())) + stops.flush());
    emit({ kind: 'finish', choice, reason, ...(stops.reached !== undefined && { stopSequence: stops.reached }) });
    release({ tokens: generated, guesses: source.guesses, firstTokenAt });
  };

  /** The next chunk of the prompt. The last chunk gives the first token of the reply. */
  const chunkOf = (count: number): Proposal => {
    // A scorer takes fewer tokens at once, and leaves the last one to the source.
    const scores = scorer && evaluated < toEvaluate.length - 1;
    const most = scores ? Math.min(count, scorer.chunk) : count;
    const end = Math.min(evaluated + most, toEvaluate.length - (scores ? 1 : 0), options.pauseAt(), sequence.room);
    const tokens = toEvaluate.slice(evaluated, end);
    if (scores) return { tokens, logitsAt: [...tokens.keys()] };
    return { tokens, logitsAt: end === toEvaluate.length ? [tokens.length - 1] : [] };
  };

  /** Takes a chunk of the prompt that has been evaluated, and draws if it was the last. */
  const prefilled = async (tokens: Token[], places: Place[]): Promise<Gain | null> => {
    const next = toEvaluate[evaluated + tokens.length];
    if (scorer && next !== undefined) await scorer.score(tokens, next, places);
    const gain = next === undefined ? await source.draw(places) : null;
    if (gain) firstTokenAt = performance.now();
    const isPrompt = evaluated < prompt.length;
    evaluated += tokens.length;
    if (isPrompt) await options.onPrefill(Math.min(evaluated, prompt.length));
    return gain;
  };

  /** Adds a token to the reply, and says why the reply ends with it. */
  const accept = (drawn: Drawn): FinishReason | null => {
    generated += 1;
    unsaid += 1;
    added += 1;
    const logprob = drawn.logprob === undefined ? undefined : options.toLogprob(drawn);
    if (logprob) logprobs.push(logprob);
    if (options.journal) emit({ kind: 'drawn', choice, token: drawn.token, ...(logprob && { logprob }) });
    say(stops.push(filter.push(detokenizer.push(drawn.token))));
    if (stops.stopped) return 'stop';
    if (filter.stopped) return 'content_filter';
    // The token itself needs a place in the context before another can follow it.
    const contextFull = prompt.length + added >= sequence.room;
    return generated === maxTokens || contextFull ? 'length' : null;
  };

  /** Adds what was drawn. Of the sequence, `held` tokens stay and those after them that the reply has. */
  const take = async ({ tokens, kept, ended }: Gain, held: number): Promise<void> => {
    let ending: FinishReason | null = null;
    for (const drawn of tokens) {
      ending = accept(drawn);
      if (ending) break;
    }
    if (ended) ending ??= 'stop';
    await sequence.truncate(Math.min(held + kept, prompt.length + added));
    if (ending) return finish(ending);
    const left = maxTokens === null ? Number.POSITIVE_INFINITY : maxTokens - generated;
    const room = sequence.room - prompt.length - added;
    proposal = await source.propose(Math.min(left, room) - 1);
  };

  replay(options.replayed);
  return {
    get demand() {
      return { prompt: toEvaluate.length - evaluated, reply: proposal?.tokens.length ?? 0, since: startedAt };
    },
    get finished() {
      return finished;
    },
    begin(promptTokens) {
      part = undefined;
      if (signal.aborted) release(null);
      else if (evaluated === toEvaluate.length && proposal)
        part = { ...proposal, sequence: sequence.id, at: sequence.length };
      else if (promptTokens > 0 && sequence.length >= sequence.room)
        release(null, noRoom(prompt.length, sequence.room));
      else if (promptTokens > 0) part = { ...chunkOf(promptTokens), sequence: sequence.id, at: sequence.length };
      return part ?? null;
    },
    async end(places) {
      if (!part) return;
      const { tokens, at } = part;
      try {
        sequence.extend(tokens);
        const prefilling = evaluated < toEvaluate.length;
        const gain = prefilling ? await prefilled(tokens, places) : await source.draw(places);
        if (signal.aborted) release(null);
        else if (gain) await take(gain, prefilling ? sequence.length : at);
      } catch (error) {
        release(null, error);
      }
    },
    async fail(error) {
      await sequence.truncate(0).catch(() => {});
      release(null, error);
    },
  };
}

function noRoom(promptTokens: number, room: number) {
  return insufficientMemory(`The prompt has ${promptTokens} tokens; there is free memory for ${room} of them now.`);
}
