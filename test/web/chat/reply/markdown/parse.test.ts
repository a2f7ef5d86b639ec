import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Node, nodes, parse } from '../../../../../web/chat/reply/markdown/parse.ts';

/** The types of all parts of a text, and of the parts in them, in order. */
function typesOf(parts: Node[]): string[] {
  return parts.flatMap((part) => [part.type, ...('tokens' in part ? typesOf(nodes(part.tokens)) : [])]);
}

/** The formulas of a text, as LaTeX. */
function formulasOf(text: string, growing = false): string[] {
  const find = (parts: Node[]): string[] =>
    parts.flatMap((part) => {
      if (part.type === 'math') return [part.text];
      if (part.type === 'table')
        return find([...part.header, ...part.rows.flat()].flatMap((cell) => nodes(cell.tokens)));
      if (part.type === 'list') return find(part.items.flatMap((item) => nodes(item.tokens)));
      return 'tokens' in part ? find(nodes(part.tokens)) : [];
    });
  return find(parse(text, growing).blocks);
}

const shape = (parts: Node[]) => JSON.stringify(parts.filter(({ type }) => type !== 'space'));

const SAMPLE = [
  '# Title with $x$\n\nA paragraph\nof two lines.\n\n',
  '- one\n- two\n\n  more of two\n\n3. three\n   ```js\n   let x;\n   ```\n\n',
  '| a | b |\n|---|:-:|\n| 1 | $y$ |\n\n',
  '$$\n\\sum_{i=1}^n i\n$$\n\n> Quoted\n> text\n\nheading\n---\n\n',
  '<details><summary>More</summary>\n\nIn *here*.\n\n</details>\n\n',
  '```mermaid\ngraph TD\n\n  A --> B\n```\n\nA word[^1] and [a link][there].\n\n',
  '[^1]: The note.\n\n[there]: https://example.org\n\n    indented code\n\nThe end.',
].join('');

describe('formulas', () => {
  it.each([
    ['\\(O(n^2)\\) and \\[x\\]', ['O(n^2)', 'x']],
    ['$$\na_1\n$$\n\ntext', ['a_1']],
    ['so $x_1 + x_2$, and $n$th', ['x_1 + x_2', 'n']],
    ['$2^n$ and $3x = 6$ and $10$', ['2^n', '3x = 6', '10']],
    ['- in a list $a$\n- and $$b$$', ['a', 'b']],
    ['| a |\n|---|\n| $c$ |', ['c']],
  ])('are found in %j', (text, formulas) => {
    expect(formulasOf(text)).toEqual(formulas);
  });

  it.each([
    'It costs $5 and $6.',
    'Between $5-$10, or $5/$6.',
    'US$5, A$6 and C$7',
    'A price of $1,000 (or 900$).',
    'Set $HOME and $PATH, or $HOME/$PATH.',
    'Escaped: \\$x\\$',
    'Code: `$x$` and\n\n```sh\necho $x$y\n```',
    'An opening $ alone, $$ too.',
  ])('are not found in %j', (text) => {
    expect(formulasOf(text)).toEqual([]);
    expect(formulasOf(`${text}\n`, true)).toEqual([]);
  });

  it.each(['It is \\(x^2 + y_', 'It is\n\n$$\nx_1 + ', 'It is\n\n\\[ a * b'])(
    'are kept from Markdown while their end has not come: %j',
    (text) => {
      const [formula] = parse(text, true)
        .blocks.flatMap((block) => (block.type === 'paragraph' ? nodes(block.tokens) : block))
        .filter(({ type }) => type === 'math');
      expect(formula).toMatchObject({ open: true });
    },
  );
});

describe('footnotes', () => {
  it('are a mark in the text, and words somewhere else', () => {
    const { blocks } = parse('A word[^note].\n\n[^note]: Its *words*,\n    on two lines.\n\nMore.', false);
    expect(typesOf(blocks).filter((type) => type !== 'text' && type !== 'space')).toEqual([
      'paragraph',
      'note',
      'noteText',
      'paragraph',
      'em',
      'br',
      'paragraph',
    ]);
  });
});

describe('details', () => {
  it('hold Markdown, and other details', () => {
    const inner = '<details open><summary>Inner</summary>\n\nDeep\n\n</details>';
    const text = `<details>\n<summary>Outer **bold**</summary>\n\n- a\n\n${inner}\n\n</details>\n\nAfter.`;
    const [outer, after] = parse(text, false).blocks.filter(({ type }) => type !== 'space');
    if (outer?.type !== 'details') throw new Error('They were not found.');
    expect(typesOf(nodes(outer.summary))).toEqual(['text', 'strong', 'text']);
    const inside = nodes(outer.tokens).filter(({ type }) => type !== 'space');
    expect(inside).toMatchObject([{ type: 'list' }, { type: 'details', unfolded: true }]);
    expect(after).toMatchObject({ type: 'paragraph', text: 'After.' });
  });

  it('reach to the end of the text while they are not closed', () => {
    const [block] = parse('<details><summary>More</summary>\n\nWords\n\nand more', true).blocks;
    expect(block).toMatchObject({ type: 'details', tokens: [{ type: 'paragraph' }, {}, { text: 'and more' }] });
  });
});

describe('a growing text', () => {
  it.each([
    ['a line that may become a heading or a list', 'Words\n-', 'Words\n'],
    ['the first line of a table', 'Words\n\n| a | b |', 'Words\n\n'],
    ['a table without its second line', 'Words\n\n| a | b |\n|--', 'Words\n\n'],
    ['a fence whose language is not complete', 'Words\n\n```ty', 'Words\n\n'],
    ['a mark of emphasis without a word', 'Words\n\n**', 'Words\n\n'],
  ])('holds back %s', (_, text, shown) => {
    expect(parse(text, true).text).toBe(shown);
  });

  it.each(['| a | b |\n|---|---|\n| 1', '```ts\nlet', 'Words and **bold', '1. one\n2. tw'])('shows %j', (text) => {
    expect(parse(text, true).text).toBe(text);
  });

  it('comes to the same parts as the whole text, however it is cut into pieces', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: SAMPLE.length }), { maxLength: 30 });
    fc.assert(
      fc.property(cuts, (places) => {
        let parsed = parse('', true);
        for (const place of places.toSorted((one, other) => one - other)) {
          parsed = parse(SAMPLE.slice(0, place), true, parsed);
        }
        const last = parse(SAMPLE, false, parsed);
        expect(shape(last.blocks)).toBe(shape(parse(SAMPLE, false).blocks));
      }),
    );
  });

  it('reads none of its finished parts again, not even at its end', () => {
    const paragraphs = Array.from({ length: 50 }, (_, index) => `Paragraph ${index} with words.\n\n`);
    let parsed = parse('', true);
    for (let count = 1; count <= paragraphs.length; count++) {
      const before = parsed.blocks.filter(({ type }) => type === 'paragraph').slice(0, -1);
      parsed = parse(paragraphs.slice(0, count).join(''), true, parsed);
      const now = parsed.blocks.filter(({ type }) => type === 'paragraph');
      expect(before.every((block, index) => block === now[index])).toBe(true);
    }
    const whole = parse(paragraphs.join(''), false, parsed);
    expect(whole.blocks.every((block, index) => block === parsed.blocks[index])).toBe(true);
  });

  it('is read from the beginning if it has become another one', () => {
    const before = parse('One text\n\nof two parts\n\n', true);
    const { blocks } = parse('Another text\n\nof two parts\n\n', true, before);
    expect(blocks.filter(({ type }) => type !== 'space')).toMatchObject([
      { text: 'Another text' },
      { text: 'of two parts' },
    ]);
  });
});

describe('any text at all', () => {
  it('is read without an error, whole and growing', () => {
    const mark = fc.constantFrom(
      '$',
      '$$',
      '\\(',
      '\\[',
      '`',
      '```',
      '|',
      '\n',
      '<details>',
      '[^',
      ']',
      ':',
      '*',
      ' ',
      'a',
      '1',
    );
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 60 }), (marks) => {
        parse(marks.join(''), false, parse(marks.join(''), true));
      }),
    );
  });
});
