import { byteLevelBytes } from '../byte-alphabet.ts';
import { BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED } from './attributes.ts';

/** The rules by which a vocabulary's tokens become text. */
export interface TokenSpelling {
  tokens: string[];
  attributes: Uint8Array;
  /** True if tokens are written in GPT-2's alphabet for bytes, false if in plain characters with `▁` for spaces. */
  byteLevel: boolean;
  /** True if the space at the beginning of a text is removed, because tokenizing adds one. */
  dropsFirstSpace: boolean;
  /** True if spaces before punctuation and short endings are removed, as BERT's tokens need it. */
  cleans: boolean;
}

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns the text that llama.cpp writes for tokens, with the names of special tokens. */
export function textOfTokens(tokens: number[], writing: TokenSpelling): string {
  const bytes = tokens.map((token) => bytesOfToken(token, writing));
  const text = decoder.decode(joined(bytes));
  const begun = writing.dropsFirstSpace && bytes[0]?.[0] === SPACE ? text.slice(1) : text;
  return writing.cleans ? cleaned(begun) : begun;
}

const SPACE = 0x20;

/** Returns the UTF-8 bytes of one token, which may be a part of a character. For a special token they are its name. */
export function bytesOfToken(token: number, { tokens, attributes, byteLevel }: TokenSpelling): Uint8Array {
  const entry = tokens[token] ?? '';
  const is = attributes[token] ?? 0;
  if (byteLevel) return ((is & NORMAL) !== 0 && byteLevelBytes(entry)) || utf8.encode(entry);
  if ((is & (CONTROL | UNKNOWN | USER_DEFINED)) !== 0) return utf8.encode(entry);
  if ((is & NORMAL) !== 0) return utf8.encode(entry.replaceAll('▁', ' '));
  if ((is & BYTE) !== 0) return Uint8Array.of(Number.parseInt(entry.slice(3, 5), 16));
  return new Uint8Array();
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function cleaned(text: string): string {
  return text
    .replace(/ (?=[?!.,])/g, '')
    .replace(/ ' /g, "'")
    .replace(/ (?='(?:[sm]|re|ve))/g, '');
}
