import type { GrammarProgress } from '../../../../grammar/gbnf/follow.ts';
import { contains } from '../../../../grammar/gbnf/ranges.ts';
import { nextTurn } from '../../../node/next-turn.ts';
import type { Token } from './token.ts';
import type { LlamaTokenizer } from './tokenizer.ts';

/**
 * The tokens of a vocabulary by the first two characters of their text. A grammar that allows few characters next rules
 * most tokens out by them, in less than 1 ms. llama.cpp looks at the rest, token by token.
 */
export interface TokenIndex {
  /** The tokens by their first character, given as its code point. */
  readonly groups: ReadonlyMap<number, TokenGroup>;
  /** The tokens that end a turn, the tokens without text, and the ones that begin with a part of a character. */
  readonly others: Int32Array;
}

/** The tokens with the same first character. */
interface TokenGroup {
  /** The tokens of one character. */
  alone: Token[];
  /** The longer tokens by their second character; U+FFFD stands for a part of a character. */
  longer: Map<number, Token[]>;
}

/** The number of tokens that are read between two turns of the event loop, in about 10 ms. */
const READ_AT_ONCE = 4096;
/** A grammar that allows more first characters than this is left to llama.cpp: most tokens are possible then. */
const MOST_CHARACTERS = 64;
/** What a part of a character is decoded to. A token with this very character counts as one with a part of a character. */
const REPLACEMENT = 0xff_fd;
/** The first two characters of a text have at most so many bytes. */
const BYTES_OF_TWO = 8;

/** Reads the texts of all tokens of a vocabulary. */
export async function readTokenIndex(
  tokenizer: Pick<LlamaTokenizer, 'size' | 'pieceOf' | 'isEndOfTurn'>,
): Promise<TokenIndex> {
  const groups = new Map<number, TokenGroup>();
  const others: Token[] = [];
  for (let token = 0; token < tokenizer.size; token++) {
    if (token % READ_AT_ONCE === READ_AT_ONCE - 1) await nextTurn();
    const [first, second] = firstCharacters(tokenizer.pieceOf(token));
    if (first === undefined || first === REPLACEMENT || tokenizer.isEndOfTurn(token)) {
      others.push(token);
      continue;
    }
    const group = groups.get(first) ?? { alone: [], longer: new Map<number, Token[]>() };
    groups.set(first, group);
    if (second === undefined) group.alone.push(token);
    else add(group.longer, second, token);
  }
  return { groups, others: Int32Array.from(others) };
}

function add(lists: Map<number, Token[]>, key: number, token: Token): void {
  const list = lists.get(key);
  if (list) list.push(token);
  else lists.set(key, [token]);
}

/**
 * Returns the tokens that a grammar may allow next, ascending. It allows no other token, and may forbid some of these.
 * Returns null if most of the vocabulary is possible.
 */
export function possibleTokens({ groups, others }: TokenIndex, progress: GrammarProgress): Int32Array | null {
  const lists: ArrayLike<Token>[] = [others];
  let characters = 0;
  for (const [first, { alone, longer }] of groups) {
    if (!contains(progress.next, first)) continue;
    characters += 1;
    if (characters > MOST_CHARACTERS) return null;
    lists.push(alone);
    // Without a state, too many alternatives are open to follow them: any character may come.
    const after = progress.after(first);
    for (const [second, tokens] of longer) {
      if (!after || second === REPLACEMENT || contains(after.next, second)) lists.push(tokens);
    }
  }
  return joined(lists).sort();
}

function joined(lists: ArrayLike<Token>[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}

/** Returns the code points of the first two characters of a text in UTF-8, as far as it has them. */
function firstCharacters(text: Buffer): [first: number | undefined, second: number | undefined] {
  const [first, second] = text.toString('utf8', 0, BYTES_OF_TWO);
  return [first?.codePointAt(0), second?.codePointAt(0)];
}
