import { sum } from '../utils/sum.ts';

/** One spelling of an option, in tokens. An option may have several. */
export interface Spelling {
  /** The index of the option. */
  option: number;
  tokens: readonly number[];
}

/**
 * Returns the logits of `tokens` after the prompt and the tokens of `path`, in their order. If `ends` is true, the logit of the end of
 * the reply follows them.
 */
export type ReadLogits = (path: readonly number[], tokens: number[], ends: boolean) => Promise<number[]>;

/** Options that share less than this probability are not told apart: they share it evenly. Most passes are saved by that. */
const LEAST_SHARED = 1e-4;

/**
 * Returns the spellings of all options. `encode` returns the tokens of a text that follows a prompt, `textOf` the text of a token. A
 * spelling whose first token is only white space is left out if the option has another: many options would share that token.
 */
export async function spellingsOf(
  options: readonly (readonly string[])[],
  encode: (text: string) => number[] | Promise<number[]>,
  textOf: (token: number) => string | Promise<string>,
): Promise<Spelling[]> {
  const spellings: Spelling[] = [];
  for (const [option, texts] of options.entries()) {
    const own: (Spelling & { blank: boolean })[] = [];
    for (const text of texts) {
      const tokens = await encode(text);
      const [first] = tokens;
      own.push({ option, tokens, blank: first === undefined || (await textOf(first)).trim() === '' });
    }
    const kept = own.filter(({ blank }) => !blank);
    for (const { tokens } of kept.length > 0 ? kept : own.slice(0, 1)) spellings.push({ option, tokens });
  }
  return spellings;
}

/**
 * Returns the probability of each option, given that the reply is one of the spellings. The spellings are a tree: at each place where
 * they differ, the probabilities of the tokens that may come next are scaled to a sum of 1, as a grammar does. Where only one token may
 * come next, nothing is read.
 */
export async function weighSpellings(
  spellings: readonly Spelling[],
  options: number,
  read: ReadLogits,
): Promise<number[]> {
  const probabilities = Array.from({ length: options }, () => 0);

  const share = (group: readonly Spelling[], mass: number) => {
    const inside = new Set(group.map(({ option }) => option));
    for (const option of inside) probabilities[option] = (probabilities[option] ?? 0) + mass / inside.size;
  };

  const visit = async (group: readonly Spelling[], from: number, mass: number): Promise<void> => {
    const depth = commonDepth(group, from);
    const isOne = group.every(({ option }) => option === group[0]?.option);
    if (isOne || mass < LEAST_SHARED || depth === null) return share(group, mass);
    const longer = group.filter(({ tokens }) => tokens.length > depth);
    const ended = group.filter(({ tokens }) => tokens.length === depth);
    const next = [...new Set(longer.flatMap(({ tokens }) => tokens[depth] ?? []))];
    const ways = next.map((token) => longer.filter(({ tokens }) => tokens[depth] === token));
    if (ended.length > 0) ways.push(ended);
    const path = group[0]?.tokens.slice(0, depth) ?? [];
    const chances = softmax(await read(path, next, ended.length > 0));
    for (const [index, way] of ways.entries()) await visit(way, depth + 1, mass * (chances[index] ?? 0));
  };

  await visit(spellings, 0, 1);
  return probabilities;
}

/** Returns the number of tokens, at least `from`, that all spellings begin with; null if all are equal. */
function commonDepth(group: readonly Spelling[], from: number): number | null {
  const [first, ...others] = group;
  if (!first) return null;
  const longest = Math.max(...group.map(({ tokens }) => tokens.length));
  for (let depth = from; depth < longest; depth++) {
    if (others.some(({ tokens }) => tokens[depth] !== first.tokens[depth])) return depth;
  }
  return null;
}

/** Returns the probabilities of logits. All are equally likely if the model rules all of them out. */
function softmax(logits: number[]): number[] {
  const highest = Math.max(...logits);
  if (highest === Number.NEGATIVE_INFINITY) return logits.map(() => 1 / logits.length);
  const weights = logits.map((logit) => Math.exp(logit - highest));
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}
