import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hermes } from '../../../src/chat/formats/families/hermes.ts';
import { createReplyReader } from '../../../src/chat/reply-events.ts';
import { createStopFilter } from '../../../src/chat/stop-sequences.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import { ADD, NOW } from '../../chat/fixtures.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { repeats } from '../../support/repeats.ts';
import { createRun, encode, replyOf, runToEnd } from './step/fake-generation.ts';

const STOPS = ['END', '###', 'Ünd 😀', '\n\n\n'];
const BANNED = ['Secret', 'böse 🐍', 'ΟΔΟΣ'];
const MARKS = [...hermes.marks, '<|im_end|>'];
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Removes the difference of case and keeps the length. */
const fold = (text: string) =>
  Array.from(text, (letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter))
    .join('')
    .replaceAll('ς', 'σ');

/** The text that a model writes, and its bytes as the tokens cut them. */
interface Recording {
  text: string;
  pieces: number[][];
}

/** Cuts the bytes into tokens of these lengths, used in turn. */
function cut(bytes: number[], lengths: number[]): number[][] {
  const pieces: number[][] = [];
  for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 1) {
    pieces.push(bytes.slice(at, at + (lengths[pieces.length % lengths.length] ?? 1)));
  }
  return pieces;
}

const isPlain = (text: string) => !text.includes('\uFFFD') && MARKS.every((mark) => !text.includes(mark));
const words = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string({ unit: anyCharacter, maxLength: 4 }), fc.lorem())
  .filter(isPlain);
// Texts that begin like a mark, a stop sequence or a banned text, but are none.
const almost = fc.constantFrom(
  '<',
  '<tool_',
  '</tool_',
  '<th',
  '</thin',
  'EN',
  '##',
  '\n',
  ' ',
  'Ünd ',
  'sEcre',
  'οδο',
);
const call = fc
  .record({ name: fc.constantFrom('add', 'now'), json: fc.dictionary(fc.string(), words) })
  .map(({ name, json }) => `<tool_call>\n{"name": "${name}", "arguments": ${JSON.stringify(json)}}\n</tool_call>`)
  .filter((text) => [...STOPS, ...BANNED].every((end) => !text.toLowerCase().includes(end.toLowerCase())));
const reasoning = words.map((text) => `<think>\n${text}\n</think>\n\n`);
const stop = fc.constantFrom(...STOPS);
const banned = fc.constantFrom(...BANNED, ...BANNED.map((text) => text.toUpperCase()), 'sECRET', 'οδος');

const recording: fc.Arbitrary<Recording> = fc
  .record({
    parts: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: words },
        { weight: 3, arbitrary: almost },
        { weight: 3, arbitrary: call },
        { weight: 1, arbitrary: reasoning },
        { weight: 1, arbitrary: stop },
        { weight: 1, arbitrary: banned },
      ),
      { maxLength: 10 },
    ),
    lengths: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
  })
  .map(({ parts, lengths }) => ({ text: parts.join(''), pieces: cut(encode(parts.join('')), lengths) }));

/** Returns the events of the engine (`raw`) and of the chat layer (`said`) for a reply of these tokens. */
async function listen(pieces: number[][]) {
  const said: GenerationEvent[] = [];
  const createParser = () => hermes.createParser({ tools: [ADD, NOW], startsInReasoning: false });
  const read = createReplyReader(createParser, true, (event) => said.push(event));
  const { events } = await runToEnd(createRun(pieces, { stop: STOPS, banned: BANNED }));
  const raw = events.filter((event): event is GenerationEvent => event.kind !== 'drawn');
  raw.forEach(read);
  return { raw, said };
}

/** Returns the whole reply that a client has in the end. */
function gather(said: GenerationEvent[]) {
  const whole = { content: '', reasoning: '', calls: [] as { name: string; json: string }[], reason: '' };
  for (const event of said) {
    if (event.kind === 'text') whole.content += event.text;
    else if (event.kind === 'reasoning') whole.reasoning += event.text;
    else if (event.kind === 'toolCall') whole.calls[event.index] = { name: event.name, json: '' };
    else if (event.kind === 'toolArguments') whole.calls[event.index] = addTo(whole.calls[event.index], event.text);
    else if (event.kind === 'finish') whole.reason = event.reason;
  }
  return whole;
}

function addTo(begun: { name: string; json: string } | undefined, text: string) {
  if (!begun) throw new Error('arguments came before their call');
  return { ...begun, json: begun.json + text };
}

const piecesOf = (events: GenerationEvent[]) => events.flatMap((event) => ('text' in event ? [event.text] : []));

describe('a recorded reply', () => {
  it('is the same in the end however its tokens cut it', async () => {
    await fc.assert(
      fc.asyncProperty(recording, async ({ text, pieces }) => {
        const { said } = await listen(pieces);
        expect(gather(said)).toEqual(gather((await listen([encode(text)])).said));
      }),
      { numRuns: repeats(250, 2000) },
    );
  });

  it('is what its bytes spell up to the first stop sequence or banned text', async () => {
    await fc.assert(
      fc.asyncProperty(recording, async ({ text, pieces }) => {
        const { raw } = await listen(pieces);
        const [stops, filter] = [createStopFilter(STOPS), createStopFilter(BANNED.map(fold), fold)];
        const upToBanned = filter.push(text);
        const expected = stops.push(upToBanned + filter.flush()) + stops.flush();
        const reason = stops.stopped ? 'stop' : filter.stopped ? 'content_filter' : 'stop';
        expect(replyOf(raw)).toEqual({ text: expected, reasons: [reason] });
      }),
      { numRuns: repeats(250, 2000) },
    );
  });

  it('has no stop sequence, banned text or half a character in any piece', async () => {
    await fc.assert(
      fc.asyncProperty(recording, async ({ pieces }) => {
        const { raw, said } = await listen(pieces);
        const whole = replyOf(raw).text;
        for (const piece of [whole, ...piecesOf(raw), ...piecesOf(said)]) {
          expect(STOPS.filter((end) => piece.includes(end))).toEqual([]);
          expect(BANNED.filter((end) => fold(piece).includes(fold(end)))).toEqual([]);
          expect(piece).not.toContain('\uFFFD');
          expect(piece).not.toMatch(LONE_SURROGATE);
        }
      }),
      { numRuns: repeats(250, 2000) },
    );
  });

  it('has no mark of a call or of reasoning in any piece', async () => {
    await fc.assert(
      fc.asyncProperty(recording, async ({ pieces }) => {
        const { said } = await listen(pieces);
        for (const piece of piecesOf(said)) expect(MARKS.filter((mark) => piece.includes(mark))).toEqual([]);
      }),
      { numRuns: repeats(250, 2000) },
    );
  });

  it('emits each piece only once, and never an empty one', async () => {
    await fc.assert(
      fc.asyncProperty(recording, async ({ pieces }) => {
        const { raw, said } = await listen(pieces);
        expect([...piecesOf(raw), ...piecesOf(said)]).not.toContain('');
        expect(said.filter(({ kind }) => kind === 'finish')).toEqual(said.slice(-1));
        const calls = said.flatMap((event) => (event.kind === 'toolCall' ? [event.index] : []));
        expect(calls).toEqual(calls.map((_, index) => index));
      }),
      { numRuns: repeats(125, 1000) },
    );
  });
});
