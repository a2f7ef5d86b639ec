import { withPlainLines } from './text-file.ts';

/** So many bytes at the beginning show how a text is encoded. */
const BEGINNING = 4096;

/** Control characters that no text has. Tabs, line ends, form feeds and the escape of colours in logs are left out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const CONTROLS = /[\x00-\x06\x0e-\x19\x1c-\x1f\x7f]/g;

/** Texts of odd programs may have a control character now and then: at most one in so many characters. */
const CONTROLS_ONE_IN = 200;

/**
 * Reads the bytes of a text file: UTF-8 and UTF-16, with a byte order mark and without, else Windows-1252, which holds
 * Latin-1. Broken places become `�`. Line ends become `\n`. Null if the bytes are no text.
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

/** UTF-16 of most scripts has a zero in nearly every second byte of ASCII characters, and none in the others. */
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

/** Bytes that are not quite UTF-8. If most of what is not ASCII is, it is a damaged file; else it is another encoding. */
function decodeBroken(bytes: Uint8Array): string | null {
  const text = decodeAs('utf-8', bytes);
  const bad = text.match(/\ufffd/g)?.length ?? 0;
  const good = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
  if (good >= bad) return text;
  const western = decodeAs('windows-1252', bytes);
  // Any bytes can be read so. Those of a text have no control characters at all.
  return western.search(CONTROLS) >= 0 || /[\x80-\x9f]/.test(western) ? null : western;
}

function decodeAs(encoding: string, bytes: Uint8Array): string {
  return new TextDecoder(encoding).decode(bytes);
}
