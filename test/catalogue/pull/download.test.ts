import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { download } from '../../../src/catalogue/pull/download.ts';
import { downloadFailed } from '../../../src/catalogue/pull/errors.ts';
import type { PartFile } from '../../../src/catalogue/pull/part-file.ts';
import type { Fetch } from '../../../src/catalogue/pull/remote.ts';
import { sha256 } from '../../kit/servers/hub-repos.ts';
import { startHub, type TestHub } from '../../kit/servers/test-hub.ts';
import { EAGER, smallGguf } from './node/fixtures.ts';

const before = smallGguf(1);
const after = smallGguf(2);

let hub: TestHub;
beforeEach(async () => {
  hub = await startHub();
});
afterEach(() => hub.close());

/** A part file in memory that begins with these bytes. */
function memoryPart(start: Uint8Array): PartFile & { bytes: () => Buffer } {
  let bytes = Buffer.from(start);
  return {
    bytes: () => bytes,
    size: async () => bytes.length,
    write: async (piece, position) => {
      bytes = Buffer.concat([bytes.subarray(0, position), piece]);
    },
    flush: async () => {},
    clear: async () => {
      bytes = Buffer.alloc(0);
    },
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    sha256: async () => sha256(bytes),
  };
}

/** Fetches without If-Range, as web pages do: this header would need the host's permission. */
const fetchUnconditionally: Fetch = (url, { headers: { 'if-range': _, ...headers }, signal }) =>
  fetch(url, { headers, signal });

describe('a download without If-Range', () => {
  const resume = async (url: string, part: PartFile) => {
    const host = { headers: {}, refusal: (status: number) => downloadFailed(String(status)) };
    const file = { name: 'x.gguf', url, size: before.length, sha256: null, validator: `"${sha256(before)}"`, host };
    await download(file, part, {
      patience: EAGER,
      limitMs: EAGER.downloadingMs,
      signal: new AbortController().signal,
      fetch: fetchUnconditionally,
      onWait: () => {},
      onBytes: () => {},
    });
    return hub.requests.map(({ range, ifRange }) => [range, ifRange]);
  };

  it('continues if the file is the same', async () => {
    const part = memoryPart(before.subarray(0, 1000));
    expect(await resume(hub.putFile('x.gguf', before), part)).toEqual([['bytes=1000-', undefined]]);
    expect(part.bytes().equals(before)).toBe(true);
  });

  it('starts again if the host has another file of the same length', async () => {
    const part = memoryPart(before.subarray(0, 1000));
    expect(await resume(hub.putFile('x.gguf', after), part)).toEqual([
      ['bytes=1000-', undefined],
      [undefined, undefined],
    ]);
    expect(part.bytes().equals(after)).toBe(true);
  });
});
