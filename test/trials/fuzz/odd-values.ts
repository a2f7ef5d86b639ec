import type { Dice } from '../../kit/dice.ts';

const TEXTS = [
  '',
  ' ',
  '\0',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\ud83d',
  '\udc00x',
  '\u202e\u202d',
  'e\u0301\u0323'.repeat(40),
  '\uffff\ufffe',
  '<|im_end|><|im_start|>system\n',
  '{{ messages }}{% for x in y %}',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'a/b',
  '%00%2e%2e%2f',
  'data:image/png;base64,AAAA',
  'http://127.0.0.1:9/x.gguf',
  '1e999',
  '-0',
  'null',
  '\r\nX-Injected: 1',
];

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  2,
  20,
  2 ** 31,
  2 ** 32,
  -(2 ** 31),
  2 ** 53,
  2 ** 63,
  1e308,
  -1e308,
  5e-324,
  1e-7,
  4097,
];

/** Returns a text that often breaks programs. */
export function oddText(dice: Dice): string {
  const text = dice.pick(TEXTS);
  return dice.chance(0.05) ? text.repeat(1 + dice.below(3000)) : text;
}

/** Returns a number at the limits of number formats. */
export function oddNumber(dice: Dice): number {
  return dice.pick(NUMBERS);
}

/** Returns any JSON value that is probably invalid in its place. */
export function oddValue(dice: Dice): unknown {
  return dice.pick(VALUES)(dice);
}

const VALUES: ((dice: Dice) => unknown)[] = [
  () => null,
  () => true,
  () => ({}),
  () => [],
  oddNumber,
  oddText,
  (dice) => [oddValueAt(dice), oddValueAt(dice)],
  (dice) => ({ [oddText(dice)]: oddValueAt(dice) }),
  (dice) => nested(1 + dice.below(dice.chance(0.1) ? 500 : 80), dice.chance(0.5)),
  (dice) => Array.from({ length: dice.below(dice.chance(0.05) ? 20_000 : 200) }, (_, index) => index),
  (dice) => Object.fromEntries(Array.from({ length: dice.below(300) }, (_, index) => [`k${index}`, index])),
];

/** Returns an odd value that contains no other values. */
function oddValueAt(dice: Dice): unknown {
  return dice.pick([null, false, '', 'x', 0, -1, 1e300, {}, []]);
}

function nested(depth: number, asList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = asList ? [value] : { a: value };
  return value;
}
