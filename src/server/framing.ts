/**
 * True if a request leaves open where its body ends: an HTTP server or a proxy in front of this server might read another end, and take the
 * rest of the body for a request. Allowed are one Content-Length of digits, or a Transfer-Encoding that is `chunked` alone.
 *
 * @param names the lower-case names of all headers, a repeated header as often as it is there
 */
export function isAmbiguous(names: readonly string[], headers: Record<string, string>): boolean {
  const lengths = names.filter((name) => name === 'content-length').length;
  const encodings = names.filter((name) => name === 'transfer-encoding').length;
  if (lengths + encodings > 1) return true;
  if (lengths === 1) return !/^\d+$/.test(headers['content-length'] ?? '');
  return encodings === 1 && headers['transfer-encoding']?.trim().toLowerCase() !== 'chunked';
}
