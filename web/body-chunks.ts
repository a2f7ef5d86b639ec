/**
 * Iterates over the chunks of a body, since not every browser can iterate over a stream. Cancels the body if the loop
 * ends before it.
 */
export async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value;
  } finally {
    await reader?.cancel().catch(() => {});
  }
}
