/** True if the file has this text at this position. Each character stands for one byte. */
export function hasText(bytes: Uint8Array, position: number, text: string): boolean {
  for (let index = 0; index < text.length; index++)
    if (bytes[position + index] !== text.charCodeAt(index)) return false;
  return true;
}

/** Returns a part of a file as text, one character for each byte. */
export function textAt(bytes: Uint8Array, position: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(position, position + length));
}

/**
 * Returns a view of the same bytes, for numbers of several bytes. Positions count from the beginning of `bytes`, which
 * may lie in the middle of its buffer.
 */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
