import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatFormat, FunctionCall, ParserOptions } from '../../../src/chat/formats/format.ts';
import { formats as all } from '../../../src/chat/formats/index.ts';
import { repeats } from '../../support/repeats.ts';
import { cuts, joined, type Part, TOOLS } from './replies.ts';

/** The formats whose arguments are one JSON object. The others are tested in members.test.ts. */
const formats = all.filter(({ members }) => !members);

type Forced = NonNullable<ParserOptions['forced']>;

function readForced(format: ChatFormat, pieces: string[], { forced = 'calls' as Forced, tools = TOOLS } = {}) {
  const parser = format.createParser({ tools, startsInReasoning: false, forced });
  const written = pieces.flatMap((piece) => parser.push(piece));
  return { written, all: [...written, ...parser.finish()], unfinished: parser.unfinished ?? false };
}

const anyCalls: fc.Arbitrary<FunctionCall[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...TOOLS.map(({ name }) => name)),
    arguments: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()).map((value) => JSON.stringify(value)),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Calls as a format writes them, cut after some text and into pieces. */
const anyCut = (format: ChatFormat) =>
  anyCalls.chain((calls) => {
    const reply = format.writeCalls(calls);
    return fc
      .nat({ max: reply.length })
      .chain((length) =>
        fc.record({ calls: fc.constant(calls), length: fc.constant(length), pieces: cuts(reply.slice(0, length)) }),
      );
  });

/** The calls whose arguments have begun in the first `length` characters, each with the arguments up to there. */
function begun(format: ChatFormat, calls: FunctionCall[], length: number): Part[] {
  const reply = format.writeCalls(calls);
  let end = 0;
  return calls.flatMap(({ name, arguments: json }) => {
    const begin = reply.indexOf(json, reply.indexOf(name, end) + name.length);
    end = begin + json.length;
    return begin < length ? [{ call: name, arguments: json.slice(0, length - begin) }] : [];
  });
}

const callsIn = (parts: Part[]) => parts.map((part) => ('call' in part ? part : { unexpected: part }));

describe.each(formats.map((format) => [format.name, format] as const))('forced calls of %s', (_, format) => {
  it('are read as they were written, however they are cut into pieces', () => {
    const anyReply = anyCalls.chain((calls) => fc.tuple(fc.constant(calls), cuts(format.writeCalls(calls))));
    fc.assert(
      fc.property(anyReply, fc.constantFrom<Forced>('calls', 'calls or answer'), ([calls, pieces], forced) => {
        const { all, unfinished } = readForced(format, pieces, { forced });
        expect(joined(all)).toEqual(calls.map(({ name, arguments: json }) => ({ call: name, arguments: json })));
        expect(unfinished).toBe(false);
      }),
      { numRuns: repeats(25, 200) },
    );
  });

  it('have their arguments passed on as they are written, up to the last character', () => {
    fc.assert(
      fc.property(anyCut(format), ({ calls, length, pieces }) => {
        expect(joined(readForced(format, pieces).written)).toEqual(begun(format, calls, length));
      }),
      { numRuns: repeats(50, 400) },
    );
  });

  it('are calls without any other text wherever the reply is cut off, with the arguments up to there', () => {
    fc.assert(
      fc.property(anyCut(format), ({ calls, length, pieces }) => {
        const { all } = readForced(format, pieces);
        const certain = begun(format, calls, length);
        const told = callsIn(joined(all));
        expect(told.slice(0, certain.length)).toEqual(certain);
        // The name of the next call may be clear before its arguments begin.
        const next = calls[certain.length];
        expect(told.slice(certain.length)).toEqual(
          told.length > certain.length ? [{ call: next?.name, arguments: '' }] : [],
        );
      }),
      { numRuns: repeats(50, 400) },
    );
  });

  it('are the call of the only tool from its first character on', () => {
    const [, , now] = TOOLS;
    if (!now) throw new Error('there is no such tool');
    const reply = format.writeCalls([{ name: 'now', arguments: '{}' }]);
    for (let length = 1; length < reply.indexOf('{}'); length++) {
      const { all, unfinished } = readForced(format, [reply.slice(0, length)], { tools: [now] });
      expect(joined(all)).toEqual([{ call: 'now', arguments: '' }]);
      expect(unfinished).toBe(true);
    }
  });

  it('are unfinished while their arguments are', () => {
    const json = '{"a": [1, {"b": "}"}]}';
    const reply = format.writeCalls([{ name: 'add', arguments: json }]);
    const begin = reply.indexOf(json);
    for (let length = begin + 1; length <= reply.length; length++) {
      expect(readForced(format, [reply.slice(0, length)]).unfinished).toBe(length < begin + json.length);
    }
  });

  it('may be JSON in their place, which is content as it comes', () => {
    const anyJson = fc.jsonValue().filter((value) => typeof value === 'object');
    fc.assert(
      fc.property(
        anyJson.chain((value) => cuts(JSON.stringify(value))),
        fc.nat(),
        (pieces, cut) => {
          const text = pieces.join('').slice(0, cut);
          const parts = joined(readForced(format, [text], { forced: 'calls or answer' }).all);
          expect(parts).toEqual(text === '' ? [] : [{ content: text }]);
        },
      ),
      { numRuns: repeats(25, 200) },
    );
  });
});
