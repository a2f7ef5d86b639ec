import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineGroups } from '../../../../../web/chat/reply/markdown/line-groups.ts';

const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, at) => line(at));

describe('groups of lines', () => {
  it('are one for short code, and for none', () => {
    expect(lineGroups('')).toEqual(['']);
    expect(lineGroups('one\n\ntwo')).toEqual(['one\n\ntwo']);
  });

  it('end before a line at the margin after an empty one, or after 80 lines', () => {
    const functions = lines(200, (at) => (at % 10 === 0 ? 'f() {' : at % 10 === 9 ? '' : '  x')).join('\n');
    const counts = lineGroups(functions).map((group) => group.split('\n').length - 1);
    expect(counts).toEqual([40, 40, 40, 40, 39]);
    expect(lineGroups('x\n'.repeat(300)).map((group) => group.length / 2)).toEqual([80, 80, 80, 60]);
  });

  it('are together the code, and do not change but for the last one when more comes', () => {
    const line = fc.constantFrom('', 'at the margin', '  indented', '\t');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 400 }), fc.nat(), (all, cut) => {
        const code = all.join('\n');
        const groups = lineGroups(code);
        expect(groups.join('')).toBe(code);
        const before = lineGroups(code.slice(0, cut % (code.length + 1)));
        expect(groups.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      }),
    );
  });
});
