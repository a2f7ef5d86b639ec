import { describe, expect, it } from 'vitest';
import { plainText } from '../../../../../web/chat/reply/markdown/plain-text.ts';

describe('a reply as plain text', () => {
  it.each([
    ['# Title\n\nSome **bold** and *slanted* `code`.', 'Title\n\nSome bold and slanted code.'],
    ['A [link](https://example.org) and ![a picture](https://example.org/x.png)', 'A link and a picture'],
    ['- one\n- two\n  - deep', '- one\n- two\n  - deep'],
    ['3. three\n4. four', '3. three\n4. four'],
    ['- [x] done\n- [ ] open', '- ☑ done\n- ☐ open'],
    ['| a | b |\n|---|---|\n| 1 | **2** |', 'a\tb\n1\t2'],
    ['```js\nlet x = `*a*`;\n```', 'let x = `*a*`;'],
    ['> Quoted\n> text', 'Quoted\ntext'],
    ['So $x^2$ and\n\n$$\ny\n$$', 'So x^2 and\n\ny'],
    ['H<sub>2</sub>O<br>and <i>more</i>', 'H2O\nand more'],
    ['<script>run()</script>', '<script>run()</script>'],
    ['A word[^1].\n\n[^1]: The note.', 'A word[1].\n\n[1] The note.'],
    ['<details><summary>More</summary>\n\n*Inside*\n\n</details>', 'More\n\nInside'],
    ['A snake_case_name and 2 * 3 * 4', 'A snake_case_name and 2 * 3 * 4'],
  ])('%j is %j', (markdown, text) => {
    expect(plainText(markdown)).toBe(text);
  });
});
