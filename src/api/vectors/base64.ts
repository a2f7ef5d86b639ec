/**
 * Bytes that are encoded in one call. A multiple of 3, so that only the last piece is padded, and small enough for the
 * argument list of one call.
 */
const PIECE_BYTES = 3 * 4096;

/** Base64 of bytes: https://www.rfc-editor.org/rfc/rfc4648#section-4 */
export function toBase64(bytes: Uint8Array): string {
  let encoded = '';
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    encoded += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE_BYTES)));
  }
  return encoded;
}
