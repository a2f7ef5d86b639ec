import { createDetokenizer } from '../../../chat/detokenizer.ts';
import { beginning, type GrammarProgress } from '../../../grammar/gbnf/follow.ts';
import {
  continuations,
  forcedText,
  isComplete,
  likelyText,
  noteSpacing,
  type Spacing,
} from '../../../grammar/gbnf/forced.ts';
import { parseGrammar } from '../../../grammar/gbnf/parse.ts';
import type { Token } from '../llama/tokens/token.ts';

/** Follows a reply in its grammar, and returns the next tokens where they are known before they are drawn. */
export interface Guide {
  /** Moves on by the next token of the reply. */
  take(token: Token): void;
  /**
   * Returns the tokens that have to come next, because the grammar allows only one text. The last tokens of that text
   * are left out if the tokenizer would cut them differently together with a text that may follow.
   */
  forced(): Token[];
  /** Returns tokens that are likely to come next, as a guess. */
  likely(): Token[];
  /** Stops following the reply: from now on it returns no tokens. To be called if llama.cpp rejects a forced token. */
  giveUp(): void;
  /** The state of the grammar after the reply; undefined within a character, and if it is not followed any more. */
  readonly progress: GrammarProgress | undefined;
  /** True if nothing may follow any more. */
  readonly complete: boolean;
}

/** The functions of a vocabulary that a guide needs. */
export interface GuideVocabulary {
  /** Returns the tokens of a text that follows other text. */
  tokensAmid(text: string): Token[];
  /** Returns the text of tokens with the names of special tokens. `before` has the tokens before them. */
  nameOrText(tokens: Token[], before: Token[]): string;
  /** False for special tokens that the reply must not have. */
  mayWrite(token: Token): boolean;
}

/** Longer grammars are not followed, in characters: it takes about 1 ms to read 10,000. */
const LONGEST_GRAMMAR = 100_000;

/**
 * Makes the guide of a reply whose first token follows `last`. Returns undefined for a grammar that cannot be followed.
 */
export function createGuide(grammar: string, last: Token | undefined, vocabulary: GuideVocabulary): Guide | undefined {
  const rules = grammar.length > LONGEST_GRAMMAR ? undefined : parseGrammar(grammar);
  let at = rules && beginning(rules);
  if (!at) return undefined;
  const detokenizer = createDetokenizer((tokens, before) => vocabulary.nameOrText(tokens, before));
  const spacing: Spacing = new Map();
  const known = new Map<string, Token[]>();
  let before = 0;
  let lastToken = last;

  const tokensAfter = (text: string): Token[] => {
    if (lastToken === undefined) return vocabulary.tokensAmid(text);
    const [first, ...rest] = vocabulary.tokensAmid(vocabulary.nameOrText([lastToken], []) + text);
    return first === lastToken ? rest : vocabulary.tokensAmid(text);
  };

  /**
   * Returns the first tokens of `text` that are the same before every text in `following`; none if the reply must not
   * have one of them.
   */
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
    get progress() {
      return detokenizer.holdsBack ? undefined : at;
    },
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
