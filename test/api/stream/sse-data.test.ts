import { describe, expect, it } from 'vitest';
import { sseData } from '../../../src/api/stream/sse-data.ts';

async function read(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk));
  const events: string[] = [];
  for await (const event of sseData(toAsync(bytes))) events.push(event);
  return events;
}

async function* toAsync<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

describe('server-sent events', () => {
  it('are read one by one, comments left out', async () => {
    expect(await read(': ping\n\ndata: a\n\ndata:b\n\nevent: x\ndata: c\n\n')).toEqual(['a', 'b', 'c']);
  });

  it('may be cut anywhere, inside a character too', async () => {
    const bytes = new TextEncoder().encode('data: é\n\ndata: [DONE]\n\n');
    const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await read(...pieces)).toEqual(['é', '[DONE]']);
  });

  it('may end their lines with carriage returns, and have several data lines', async () => {
    expect(await read('data: a\r\ndata: b\r\n\r\n')).toEqual(['a\nb']);
  });

  it('are dropped if they are incomplete', async () => {
    expect(await read('data: a\n\ndata: b')).toEqual(['a']);
  });
});
