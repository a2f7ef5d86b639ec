import { createDetokenizer } from '../../../chat/detokenizer.ts';
import { beginning } from '../../../grammar/gbnf/follow.ts';
import {
  continuations,
  forcedText,
  isComplete,
  likelyText,
  noteSpacing,
  type Spacing,
} from '../../../grammar/gbnf/forced.ts';
import { parseGrammar } from '../../../grammar/gbnf/parse.ts';
import type { Token } from '../llama/llama.ts';

/** Follows a reply in its grammar, and tells which tokens come next where that is known before they are drawn. */
export interface Guide {
  /** Takes in the next token of the reply. */
  take(token: Token): void;
  /**
   * The tokens that have to come next. Their text can come in only one way, and so can their boundaries, as far as the tokenizer
   * goes: the last tokens of a forced text are left out if some text that may follow would change them.
   */
  forced(): Token[];
  /** Tokens that are likely to come next, to be tried out. */
  likely(): Token[];
  /** Has nothing be known any more: llama.cpp reads the grammar differently, so what is known here is wrong. */
  giveUp(): void;
  /** True if nothing may follow any more. */
  readonly complete: boolean;
}

/** What a guide needs of a vocabulary. */
export interface GuideVocabulary {
  /** The tokens of a text that is not the beginning of one. */
  tokensAmid(text: string): Token[];
  /** The text of tokens with the names of special tokens. `before` has the tokens before them. */
  nameOrText(tokens: Token[], before: Token[]): string;
  /** False for special tokens that the reply must not have. */
  mayWrite(token: Token): boolean;
}

/** Longer grammars are not followed, in characters: it takes about 1 ms to read 10,000. */
const LONGEST_GRAMMAR = 100_000;

/** Follows a reply whose first token comes after `last`. Returns undefined for a grammar that can't be followed. */
export function createGuide(grammar: string, last: Token | undefined, vocabulary: GuideVocabulary): Guide | undefined {
  const rules = grammar.length > LONGEST_GRAMMAR ? undefined : parseGrammar(grammar);
  let at = rules && beginning(rules);
  if (!at) return undefined;
  const detokenizer = createDetokenizer((tokens, before) =>
    vocabulary.nameOrText(tokens as Token[], before as Token[]),
  );
  const spacing: Spacing = new Map();
  const known = new Map<string, Token[]>();
  let before = 0;
  let lastToken = last;

  const tokensAfter = (text: string): Token[] => {
    if (lastToken === undefined) return vocabulary.tokensAmid(text);
    const [first, ...rest] = vocabulary.tokensAmid(vocabulary.nameOrText([lastToken], []) + text);
    return first === lastToken ? rest : vocabulary.tokensAmid(text);
  };

  /** The tokens of `text` that stay the same whatever follows, as far as they spell it and may be written. */
  const certainTokens = (text: string, following: string[]): Token[] => {
    const tokens = tokensAfter(text);
    let certain = tokens.length;
    for (const more of following) {
      const others = tokensAfter(text + more);
      certain = Math.min(certain, tokens.findIndex((token, index) => token !== others[index]) >>> 0);
    }
    const taken = tokens.slice(0, certain);
    const written = vocabulary.nameOrText(taken, lastToken === undefined ? [] : [lastToken]);
    return text.startsWith(written) && taken.every(vocabulary.mayWrite) ? taken : [];
  };

  return {
    get complete() {
      return at !== undefined && isComplete(at);
    },
    take(token) {
      lastToken = token;
      for (const character of detokenizer.push(token)) {
        const codePoint = character.codePointAt(0) ?? 0;
        if (at) noteSpacing(spacing, at, before, codePoint);
        at = at?.after(codePoint);
        before = codePoint;
      }
    },
    giveUp() {
      at = undefined;
    },
    forced() {
      if (!at || detokenizer.holdsBack) return [];
      const { text, reached } = forcedText(at);
      if (text === '') return [];
      const following = isComplete(reached) ? [] : continuations(reached);
      const key = [lastToken, text, ...following].join('\n');
      const tokens = known.get(key) ?? certainTokens(text, following);
      known.set(key, tokens);
      return tokens;
    },
    likely() {
      const text = at && !detokenizer.holdsBack ? likelyText(at, before, spacing) : '';
      if (text === '') return [];
      const tokens = tokensAfter(text);
      return tokens.every(vocabulary.mayWrite) ? tokens : [];
    },
  };
}
