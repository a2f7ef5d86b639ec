import type { TokenLogprob } from '../../contract/events.ts';
import { finite } from '../generation/logprobs.ts';

/** The `logprobs` of a plain completion's choice. Each list has an entry for each token. */
export interface TextLogprobs {
  tokens: string[];
  /** Null for the first token of an echoed prompt, if nothing is before it. */
  token_logprobs: (number | null)[];
  /** The log probabilities of the most likely tokens for this position, and of the token itself. */
  top_logprobs: (Record<string, number> | null)[];
  /** The offset of the token, in code points from the beginning of the choice's text. */
  text_offset: number[];
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Converts the tokens of one choice. They may come in several pieces: offsets continue from one call to the next. */
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
    token_logprobs: tokens.map((token) => (isKnown(token) ? logprobOf(token) : null)),
    top_logprobs: tokens.map((token) =>
      isKnown(token)
        ? Object.fromEntries([...token.alternatives, token].map((other) => [nameOf(other), logprobOf(other)]))
        : null,
    ),
    text_offset: tokens.map(offsetOf),
  });
}

/**
 * Names a token. A part of a character has no text, so its bytes are its name, as OpenAI writes them. This keeps such
 * tokens distinct.
 */
function nameOf({ bytes }: { bytes: number[] }): string {
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}`;
  }
}

function isKnown({ logprob }: TokenLogprob): boolean {
  return !Number.isNaN(logprob);
}

function logprobOf({ logprob }: { logprob: number }): number {
  return finite(logprob);
}

function continuesCharacter(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
