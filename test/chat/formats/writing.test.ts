import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatFormat, FunctionCall, Tool } from '../../../src/chat/formats/format.ts';
import { formats as all } from '../../../src/chat/formats/index.ts';
import { repeats } from '../../support/repeats.ts';
import { derive } from './gbnf.ts';
import { cuts, joined, readPieces, TOOLS } from './replies.ts';

/** The formats whose arguments are one JSON object. The others are tested in members.test.ts. */
const formats = all.filter(({ members }) => !members);

const argumentsOf: Record<string, string> = { add: '{"a": 1}', get_weather: '{"city": "a \\"b\\"\\n"}', now: '{}' };

/** Returns the grammar of the tools, with one fixed text as the arguments of each. */
function grammarOf(format: ChatFormat, tools: Tool[], parallel: boolean): string {
  const rules = tools.map(({ name }, index) => `arguments-${index} ::= ${JSON.stringify(argumentsOf[name])}`);
  return [format.toolGrammar(tools, parallel, (tool) => `arguments-${tools.indexOf(tool)}`), ...rules].join('\n');
}

const anyDerivation = (format: ChatFormat, parallel: boolean) =>
  fc.array(fc.nat({ max: 719 }), { minLength: 40, maxLength: 40 }).map((choices) => {
    let next = 0;
    return derive(grammarOf(format, TOOLS, parallel), (ways) => (choices[next++] ?? 0) % ways);
  });

const anyCall: fc.Arbitrary<FunctionCall> = fc.record({
  name: fc.constantFrom(...TOOLS.map(({ name }) => name)),
  arguments: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()).map((value) => JSON.stringify(value)),
});

describe.each(formats.map((format) => [format.name, format] as const))('%s', (_, format) => {
  it('reads back the calls that it writes', () => {
    const anyReply = fc
      .array(anyCall, { minLength: 1, maxLength: 4 })
      .chain((calls) => fc.tuple(fc.constant(calls), cuts(format.writeCalls(calls))));
    fc.assert(
      fc.property(anyReply, ([calls, pieces]) => {
        const expected = calls.map(({ name, arguments: json }) => ({ call: name, arguments: json }));
        expect(joined(readPieces(format, pieces))).toEqual(expected);
      }),
      { numRuns: repeats(25, 200) },
    );
  });

  it('reads one call in every reply that its grammar for one call allows', () => {
    fc.assert(
      fc.property(anyDerivation(format, false), (reply) => {
        const [call, ...more] = readCalls(format, reply);
        expect(more).toEqual([]);
        expect(call?.arguments).toBe(argumentsOf[call?.name ?? '']);
      }),
      { numRuns: repeats(20, 100) },
    );
  });

  it('reads 1 to 8 calls and nothing else in every reply that its grammar for several calls allows', {
    tags: 'slow',
  }, () => {
    const counts = new Set<number>();
    fc.assert(
      fc.property(anyDerivation(format, true), (reply) => {
        const calls = readCalls(format, reply);
        counts.add(calls.length);
        expect(format.writeCalls(calls)).toBe(reply);
      }),
      // Of 50 replies, one time in 800 none has a single call: of 200, never.
      { numRuns: repeats(200, 400) },
    );
    expect(Math.min(...counts)).toBe(1);
    expect(Math.max(...counts)).toBeGreaterThan(3);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
  });

  it('names its rules root and call-..., so that the caller can use all other names', () => {
    const names = format
      .toolGrammar(TOOLS, true, () => 'x')
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '');
    expect(names.filter((name) => !/^(root|call-\d)$/.test(name))).toEqual([]);
  });
});

function readCalls(format: ChatFormat, reply: string): FunctionCall[] {
  return joined(readPieces(format, [reply])).map((part) => {
    if (!('call' in part)) throw new Error(`no call: ${JSON.stringify(part)}`);
    return { name: part.call, arguments: part.arguments };
  });
}

describe('the grammar of hermes', () => {
  const hermes = formats.find(({ name }) => name === 'hermes');
  const [add, , now] = TOOLS as [Tool, Tool, Tool];

  it('allows one call of one of the tools', () => {
    expect(hermes?.toolGrammar([add, now], false, ({ name }) => `arguments-${name}`)).toBe(
      'root ::= call-0\n' +
        'call-0 ::= "<tool_call>\\n{\\"name\\": \\"add\\", \\"arguments\\": " arguments-add "}\\n</tool_call>"' +
        ' | "<tool_call>\\n{\\"name\\": \\"now\\", \\"arguments\\": " arguments-now "}\\n</tool_call>"\n',
    );
  });

  it('allows at most 8 calls if several are allowed', () => {
    expect(hermes?.toolGrammar([add], true, () => 'x').split('\n')[0]).toBe('root ::= call-0 ( "\\n" call-0 ){0,7}');
  });
});
