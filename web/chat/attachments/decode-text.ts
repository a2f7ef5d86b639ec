import { withPlainLines } from './text-file.ts';

/** The number of bytes at the beginning of a text that show its encoding. */
const BEGINNING = 4096;

/**
 * Control characters that do not occur in texts. Tabs, line ends, form feeds and the escape character of coloured logs
 * do occur.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const CONTROLS = /[\x00-\x06\x0e-\x19\x1c-\x1f\x7f]/g;

/** Some programs write a few control characters into texts. A text has at most one in this number of characters. */
const CONTROLS_ONE_IN = 200;

/**
 * Decodes the bytes of a text file: UTF-8 and UTF-16, with or without a byte order mark, otherwise Windows-1252, which
 * includes Latin-1. Invalid bytes become `�`, line ends become `\n`. Returns null if the bytes are not a text.
 */
export function decodeText(bytes: Uint8Array): string | null {
  const text = decode(bytes);
  if (text === null) return null;
  const controls = text.match(CONTROLS)?.length ?? 0;
  return controls * CONTROLS_ONE_IN > text.length ? null : withPlainLines(text);
}

function decode(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', bytes);
  if (bytes.subarray(0, BEGINNING).includes(0)) {
    const encoding = wideEncoding(bytes.subarray(0, BEGINNING));
    return encoding && decodeAs(encoding, bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeBroken(bytes);
  }
}

/** Recognises UTF-16 by its zero bytes: they are many, and all at even or all at odd places. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const zeros = [0, 0];
  bytes.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const most = bytes.length / 8;
  if (even === 0 && odd > most) return 'utf-16le';
  return odd === 0 && even > most ? 'utf-16be' : null;
}

/**
 * Decodes bytes that are not valid UTF-8. If most non-ASCII bytes are valid, the file is damaged UTF-8; otherwise it
 * has another encoding.
 */
function decodeBroken(bytes: Uint8Array): string | null {
  const text = decodeAs('utf-8', bytes);
  const bad = text.match(/\ufffd/g)?.length ?? 0;
  const good = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
  if (good >= bad) return text;
  const western = decodeAs('windows-1252', bytes);
  // Windows-1252 decodes any bytes, so control characters decide: a text in this encoding has none.
  return western.search(CONTROLS) >= 0 || /[\x80-\x9f]/.test(western) ? null : western;
}

function decodeAs(encoding: string, bytes: Uint8Array): string {
  return new TextDecoder(encoding).decode(bytes);
}
