import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatFormat, ReplyDelta, Tool } from '../../../src/chat/formats/format.ts';
import { repeats } from '../../support/repeats.ts';

/** The tools of all examples. */
export const TOOLS: Tool[] = [
  {
    name: 'add',
    description: 'Adds numbers',
    parameters: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: ['number', 'null'] }, exact: { type: 'boolean' } },
      required: ['a'],
    },
  },
  {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'array', items: { type: 'integer' } }, any: {} },
    },
  },
  { name: 'now' },
];

/** A part of a reply as a client gets it, with neighbouring pieces joined. */
export type Part = { content: string } | { reasoning: string } | { call: string; arguments: string };

export interface Example {
  /** The raw text that the model writes. */
  reply: string;
  /** The parts that the parser must give. */
  gives: Part[];
  /** The default is `TOOLS`. */
  tools?: Tool[];
  startsInReasoning?: boolean;
}

/** Returns the deltas of a reply that comes in these pieces. */
export function readPieces(format: ChatFormat, pieces: string[], example: Omit<Example, 'reply' | 'gives'> = {}) {
  const { tools = TOOLS, startsInReasoning = false } = example;
  const parser = format.createParser({ tools, startsInReasoning });
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.finish()];
}

/** Joins deltas, and checks that calls are numbered from 0 and named before their arguments. */
export function joined(deltas: ReplyDelta[]): Part[] {
  const parts: Part[] = [];
  let calls = 0;
  for (const delta of deltas) {
    const last = parts.at(-1);
    if (delta.kind === 'toolCall') {
      expect(delta.index).toBe(calls++);
      parts.push({ call: delta.name, arguments: '' });
    } else if (delta.kind === 'toolArguments') {
      expect(delta.index).toBe(calls - 1);
      if (last && 'call' in last) last.arguments += delta.text;
    } else {
      expect(delta.text).not.toBe('');
      if (last && delta.kind in last) parts.pop();
      const before = last && delta.kind in last ? (last as Record<string, string>)[delta.kind] : '';
      parts.push({ [delta.kind]: before + delta.text } as Part);
    }
  }
  return parts;
}

/** Cuts the text into random pieces. */
export function cuts(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat({ max: text.length }), { maxLength: 12 }).map((points) => {
    const ends = points.sort((a, b) => a - b);
    return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
  });
}

/** Tests replies that must be read as their examples say, without any mark left in them. */
export function itReads(format: ChatFormat, examples: Record<string, Example>) {
  describe.each(Object.entries(examples))('%s', (_, example) => {
    itGives(format, example);

    it('leaves no mark in any piece', () => {
      fc.assert(
        fc.property(cuts(example.reply), (pieces) => {
          for (const delta of readPieces(format, pieces, example)) {
            const text = 'text' in delta ? delta.text : delta.name;
            expect(format.marks.filter((mark) => text.includes(mark))).toEqual([]);
          }
        }),
        { numRuns: repeats(50, 200) },
      );
    });
  });
}

/** Tests replies that look like calls but are none: all of their text must become content. */
export function itLeavesAsContent(format: ChatFormat, replies: Record<string, string>) {
  describe.each(Object.entries(replies))('content: %s', (_, reply) => {
    itGives(format, { reply, gives: [{ content: reply }] });
  });
}

function itGives(format: ChatFormat, example: Example) {
  it('is read as expected', () => {
    expect(joined(readPieces(format, [example.reply], example))).toEqual(example.gives);
  });

  it('is read the same way in any pieces', () => {
    expect(joined(readPieces(format, example.reply.split(''), example))).toEqual(example.gives);
    fc.assert(
      fc.property(cuts(example.reply), (pieces) => {
        expect(joined(readPieces(format, pieces, example))).toEqual(example.gives);
      }),
      { numRuns: repeats(100, 400) },
    );
  });
}
