import type { Dice } from '../../kit/dice.ts';
import { oddText, oddValue } from './odd-values.ts';

/** A place in a JSON value: its container and the key or index there. */
interface Place {
  holder: Record<string, unknown> | unknown[];
  key: string;
}

/** Changes a JSON value in place at one to four places and returns it; or returns another value. */
export function mutate(value: unknown, dice: Dice): unknown {
  if (dice.chance(0.01)) return oddValue(dice);
  for (let times = 1 + dice.below(4); times > 0; times--) {
    const places = placesIn(value);
    if (places.length === 0) return oddValue(dice);
    mutateAt(dice.pick(places), dice);
  }
  return value;
}

/**
 * Returns JSON text that is sometimes malformed or unusual: doubled keys, cut off, other forms of white space and
 * numbers.
 */
export function writeJson(value: unknown, dice: Dice): string {
  const text = JSON.stringify(value) ?? 'undefined';
  if (dice.chance(0.9)) return text;
  return dice.pick(TEXT_CHANGES)(text, dice);
}

const TEXT_CHANGES: ((text: string, dice: Dice) => string)[] = [
  // Repeats each key with another value.
  (text, dice) =>
    text.startsWith('{"')
      ? `{${text.slice(1, -1)},${text.slice(1, -1).replace(/:.*/s, `:${JSON.stringify(oddText(dice))}`)}}`
      : text,
  (text, dice) => text.slice(0, dice.below(text.length + 1)),
  // Deeper than JSON.stringify can write.
  (text, dice) => {
    const depth = dice.below(20_000);
    return text.replace(
      /"hello"|null|\d+/,
      dice.chance(0.5) ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    );
  },
  (text) => `\ufeff${text}`,
  (text) => ` \n\t${text}\r\n`,
  (text) => `${text}${text}`,
  (text) => text.replaceAll(':', ':\u00a0'),
  (text) => text.replace(/\d+/, '01'),
  (text) => text.replace(/\d+/, 'NaN'),
  (text) => text.replace(/"(\w)/g, (_, letter: string) => `"\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (text) => text.replaceAll('"', "'"),
  (text, dice) => {
    const at = dice.below(text.length + 1);
    return text.slice(0, at) + String.fromCharCode(dice.below(0x10000)) + text.slice(at + 1);
  },
];

function mutateAt({ holder, key }: Place, dice: Dice): void {
  const fields = holder as Record<string, unknown>;
  const action = dice.below(10);
  if (action === 0) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete fields[key];
  } else if (action === 1 && !Array.isArray(holder)) {
    // Adds the same value under a slightly different name.
    fields[`${key} `] = fields[key];
  } else if (action === 2 && Array.isArray(holder)) {
    const item = holder[Number(key)];
    for (let times = dice.below(dice.chance(0.05) ? 3000 : 50); times > 0; times--) holder.push(item);
  } else if (action === 3 && !Array.isArray(holder)) {
    fields[oddText(dice)] = oddValue(dice);
  } else if (action === 4) {
    fields[key] = [fields[key]];
  } else if (action === 5) {
    fields[key] = String(fields[key]);
  } else {
    fields[key] = oddValue(dice);
  }
}

/** The search for places goes this deep, and finds at most this many. */
const DEEPEST = 12;
const MOST_PLACES = 300;

function placesIn(value: unknown): Place[] {
  const places: Place[] = [];
  const walk = (holder: unknown, depth: number) => {
    if (typeof holder !== 'object' || holder === null || depth > DEEPEST) return;
    for (const [key, inner] of Object.entries(holder)) {
      if (places.length >= MOST_PLACES) return;
      places.push({ holder: holder as Place['holder'], key });
      walk(inner, depth + 1);
    }
  };
  walk(value, 0);
  return places;
}
