/** Whether a file has this text, a byte a character, at this position. */
export function hasText(bytes: Uint8Array, position: number, text: string): boolean {
  for (let index = 0; index < text.length; index++)
    if (bytes[position + index] !== text.charCodeAt(index)) return false;
  return true;
}

/** A part of a file as text, a byte a character. */
export function textAt(bytes: Uint8Array, position: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(position, position + length));
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
