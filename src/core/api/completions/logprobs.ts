import type { TokenLogprob } from '../../events.ts';

/** The `logprobs` of a plain completion's choice: for each token its text, likelihood, alternatives and place. */
export interface TextLogprobs {
  tokens: string[];
  token_logprobs: number[];
  /** The likeliest tokens in the token's place, and the token itself. */
  top_logprobs: Record<string, number>[];
  /** In characters, that is code points, from the beginning of the choice's text. */
  text_offset: number[];
}

/** JSON has no infinity; OpenAI's own servers say -9999 for what can't be. */
const LOWEST_LOGPROB = -9999;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Writes the tokens of one choice, in as many pieces as they come in. */
export function createTextLogprobs(): (tokens: TokenLogprob[]) => TextLogprobs {
  let characters = 0;
  const offsetOf = ({ bytes }: TokenLogprob): number => {
    const [first] = bytes;
    const offset = first !== undefined && continuesCharacter(first) ? Math.max(0, characters - 1) : characters;
    characters += bytes.filter((byte) => !continuesCharacter(byte)).length;
    return offset;
  };

  return (tokens) => ({
    tokens: tokens.map(nameOf),
    token_logprobs: tokens.map(logprobOf),
    top_logprobs: tokens.map((token) =>
      Object.fromEntries([...token.alternatives, token].map((other) => [nameOf(other), logprobOf(other)])),
    ),
    text_offset: tokens.map(offsetOf),
  });
}

/** Tokens that are parts of a character have no text; by their bytes, as OpenAI writes them, they stay distinct. */
function nameOf({ bytes }: { bytes: number[] }): string {
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}`;
  }
}

function logprobOf({ logprob }: { logprob: number }): number {
  return Math.max(logprob, LOWEST_LOGPROB);
}

function continuesCharacter(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
