const LABEL = 0x8000_00ff;
const VALUE = 0x7fff_ffff;

/**
 * Makes the function that replaces characters by SentencePiece's table, "ｆ" by "f" for example. The texts in `kept` are
 * not changed. The table is a double array: four bytes with its length, then its nodes of 32 bits, then the
 * replacements, each with a zero byte at its end. A node has the byte that leads to it in its low bits, and the place
 * of its children in its high ones. The function throws an `Error` where the table leads out of itself, because the
 * model's file is damaged.
 */
export function createCharsmap(table: Uint8Array, kept: string[]): (text: string) => string {
  if (table.length === 0) return (text) => text;
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const replacementsStart = 4 + view.getUint32(0, true);
  const utf8 = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const longestKept = createPrefixes(kept);

  const nodeAt = (index: number) => {
    const offset = 4 + 4 * index;
    if (offset + 4 > replacementsStart) throw new Error("the vocabulary's table of characters is damaged");
    return view.getUint32(offset, true);
  };
  const childrenOf = (node: number) => (node >>> 10) << ((node & 0x200) >>> 6);

  /** Returns the longest beginning of the bytes from `start` on that is replaced, and its replacement. */
  const match = (bytes: Uint8Array, start: number): { length: number; at: number } => {
    const found = { length: 0, at: 0 };
    let index = childrenOf(nodeAt(0));
    for (let end = start; end < bytes.length; end++) {
      const byte = bytes[end] ?? 0;
      index ^= byte;
      const node = nodeAt(index);
      if (byte === 0 || (node & LABEL) >>> 0 !== byte) break;
      index ^= childrenOf(node);
      if ((node & 0x100) !== 0) Object.assign(found, { length: end - start + 1, at: nodeAt(index) & VALUE });
    }
    return found;
  };
  const replacementAt = (at: number) => {
    const start = replacementsStart + at;
    return decoder.decode(table.subarray(start, table.indexOf(0, start)));
  };

  return (text) => {
    const bytes = utf8.encode(text);
    let result = '';
    for (let index = 0, offset = 0; index < text.length; ) {
      const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
      const keep = longestKept(text, index);
      const { length, at } = keep > 0 ? { length: 0, at: 0 } : match(bytes, offset);
      if (length > 0) {
        result += replacementAt(at);
        const replaced = decoder.decode(bytes.subarray(offset, offset + length));
        index += replaced.length;
        offset += length;
        continue;
      }
      const same = keep > 0 ? text.slice(index, index + keep) : character;
      result += same;
      index += same.length;
      offset += utf8.encode(same).length;
    }
    return result;
  };
}

/**
 * Returns how many characters from an index on are the beginning of one of the texts. As in llama.cpp, a part of one is
 * enough.
 */
function createPrefixes(texts: string[]): (text: string, index: number) => number {
  const beginnings = new Set(texts.flatMap((text) => Array.from(text, (_, at) => [...text].slice(0, at + 1).join(''))));
  return (text, index) => {
    let length = 0;
    for (;;) {
      const next = String.fromCodePoint(text.codePointAt(index + length) ?? 0);
      if (index + length >= text.length || !beginnings.has(text.slice(index, index + length) + next)) return length;
      length += next.length;
    }
  };
}
