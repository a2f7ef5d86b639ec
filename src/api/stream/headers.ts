/** The headers of a reply that streams. */
export function streamHeaders(contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    'cache-control': 'no-cache',
    // Tells nginx and similar proxies not to buffer the stream.
    'x-accel-buffering': 'no',
  };
}
