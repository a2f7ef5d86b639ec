import { makeRandom } from '../random.ts';

const WORDS = (
  'the of and Hello world function return const if else naïve café Zürich résumé über ÉCOLE ŁÓDŹ привет мир Ελλάδα ' +
  "שלום مرحبا สวัสดี 你好 世界 日本語 カタカナ ひらがな 한국어 안녕 नमस्ते HelloWorld camelCase snake_case XMLHttpRequest DON'T don't " +
  "I'm we'll they've he'd it's 'S 'LL o'clock 123 4567 1234567890 3.14 0xFF 1e10 ²³ ½ Ⅷ ٣٤ １２３ <div> </div> {} [] () => " +
  '== != && || ... !!! ??? -- *** ### // /* */ \\n @user #tag $100 50% a+b a=b C++ _x_ ~/path http://example.com/a?b=c&d=e ' +
  '👍 👨‍👩‍👧‍👦 🇩🇪 🦙 😀😀 ｆｕｌｌ ﬁ ﷺ ſ K'
).split(' ');

const SPACES = [
  ' ',
  ' ',
  ' ',
  '  ',
  '   ',
  '\n',
  '\n\n',
  '\r\n',
  '\t',
  ' \n',
  '\n ',
  '\u00a0',
  '\u3000',
  '\u0085',
  '\u200b',
  '\ufeff',
  '\r',
  '\v',
  ' \t ',
];

const RUNS = ['a', 'ab', '你', '0', ' ', '\n', '=', '😀', 'é', 'A', 'aB', "'s", '1a', ' a', 'e\u0301'];

/** Ranges of characters that are old in Unicode: the tables of the engines are of different Unicode versions. */
const RANGES: [from: number, to: number][] = [
  [0x00, 0x24f],
  [0x300, 0x36f],
  [0x391, 0x3a1],
  [0x400, 0x4ff],
  [0x5d0, 0x5ea],
  [0x620, 0x64a],
  [0x905, 0x94d],
  [0xe01, 0xe2e],
  [0x2010, 0x2027],
  [0x2070, 0x2071],
  [0x2150, 0x2188],
  [0x2190, 0x22ff],
  [0x2500, 0x257f],
  [0x3041, 0x3096],
  [0x30a1, 0x30fa],
  [0x4e00, 0x9fa5],
  [0xac00, 0xd7a3],
  [0xe100, 0xe1ff],
  [0xf900, 0xfa2d],
  [0xff01, 0xff5e],
  [0xfffc, 0xfffd],
  [0x1d400, 0x1d454],
  [0x1f300, 0x1f5ff],
  [0x20000, 0x20100],
];

/**
 * Makes texts that tokenizers may split in different ways: words of many scripts, code, digits, white space, long runs,
 * any characters, composed and decomposed, and special tokens, whole, cut or side by side.
 */
export function oddTexts(count: number, seed: number, special: string[]): string[] {
  const random = makeRandom(seed);
  const int = (limit: number) => Math.floor((random() / 2 ** 32) * limit);
  const pick = <T>(items: readonly T[]): T => items[int(items.length)] as T;
  const many = (most: number, make: () => string) => Array.from({ length: 1 + int(most) }, make).join('');
  const word = () => pick(WORDS);
  const space = () => pick(SPACES);
  const character = () => {
    const [from, to] = pick(RANGES);
    return String.fromCodePoint(from + int(to - from + 1));
  };
  const spelled = () => {
    const token = pick(special);
    return pick([token, token.slice(0, -1), token.slice(1), token + space(), space() + token, token + word(), word()]);
  };
  const kinds = [
    () => many(20, () => word() + space()),
    () => many(20, () => word() + pick(['', "'", '1', '-'])),
    () => many(40, character),
    () => many(60, () => String.fromCharCode(32 + int(95))),
    () => many(12, space) + word() + many(8, space),
    () => pick(RUNS).repeat(1 + int(200)),
    () => many(10, () => pick([word, space, character, spelled, () => String(int(10 ** (1 + int(12))))])()),
    () => `function f${int(99)}(x) {\n${'  '.repeat(int(6))}return x ${pick(['+', '-'])} ${int(1000)};\n}\n${space()}`,
    () => many(9, () => (word() + space()).normalize(pick(['NFC', 'NFD']))),
    () => many(6, spelled),
    () => many(30, () => pick(["'", 's', 'S', 't', 'll', 'LL', 're', ' ', 'd', '\n', '1'])),
  ];
  return Array.from({ length: count }, (_, index) => (kinds[index % kinds.length] as () => string)());
}
