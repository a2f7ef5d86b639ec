import { createDetokenizer } from '../../../chat/detokenizer.ts';
import type { ThinkingLimit } from '../../../chat/thinking-limit.ts';
import type { Token } from '../llama/tokens/token.ts';
import type { Guide, GuideVocabulary } from './guide.ts';

/** The text of a token is hardly longer, in characters. */
const LONGEST_TOKEN = 128;

/**
 * Makes the guide of a reply whose blocks of reasoning have a limit. It counts the tokens of a block, and forces the
 * closing mark once there are as many as the limit, but not within a character. Each block may have as many.
 */
export function createThoughtGuide(
  { tokens: most, open, close, ends, inside: begun }: ThinkingLimit,
  { tokensAmid, nameOrText }: Pick<GuideVocabulary, 'tokensAmid' | 'nameOrText'>,
): Guide {
  const detokenizer = createDetokenizer((tokens, before) => nameOrText(tokens, before));
  const closing = tokensAmid(close);
  const kept = Math.max(...[open, close, ...ends].map(({ length }) => length)) + LONGEST_TOKEN;
  let inside = begun;
  /** The number of tokens in the block, without those of its closing mark that were forced. */
  let count = 0;
  /** The number of tokens of the closing mark that were forced. */
  let closed = 0;
  /** The latest text, of which a mark may be the end. */
  let latest = '';

  const enter = (block: boolean) => {
    inside = block;
    count = 0;
    closed = 0;
    latest = '';
  };
  const isSpent = () => inside && count >= most && !detokenizer.holdsBack;

  return {
    progress: undefined,
    complete: false,
    likely: () => [],
    giveUp: () => enter(false),
    take(token: Token) {
      const forced = isSpent() && token === closing[closed];
      latest = (latest + detokenizer.push(token)).slice(-kept);
      if (forced) closed += 1;
      else count += 1;
      const marks = inside ? [close, ...ends] : [open];
      if (closed === closing.length || marks.some((mark) => latest.includes(mark))) enter(!inside);
    },
    forced: () => (isSpent() ? closing.slice(closed) : []),
  };
}
