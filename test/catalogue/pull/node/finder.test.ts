import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServerFinder } from '../../../../src/catalogue/pull/node/finder.ts';
import { startHub, type TestHub } from '../../../kit/servers/test-hub.ts';
import { EAGER, IMPATIENT } from './fixtures.ts';

let hub: TestHub;
beforeEach(async () => {
  hub = await startHub();
});
afterEach(() => hub.close());

const TOKEN = 'hf_a-very-secret-token';
const ALWAYS = new AbortController().signal;
const bytes = (length: number) => new Uint8Array(length);
const finder = (env: Record<string, string> = {}, patience = {}) =>
  createServerFinder({
    env: { HF_ENDPOINT: hub.url, ...env },
    allowPrivate: true,
    patience: { ...EAGER, ...patience },
  });
const search = (words: string, limit = 20) => finder().search(words, limit, ALWAYS);
const offer = (source: string) => finder().offer(source, ALWAYS);

describe('a search of the hub', () => {
  beforeEach(() => {
    hub.put('org/qwen-GGUF', 'q.gguf', bytes(1));
    hub.put('big/qwen-GGUF', 'q.gguf', bytes(1));
    hub.put('org/qwen', 'q.safetensors', bytes(1));
    hub.put('org/llama-GGUF', 'l.gguf', bytes(1));
    hub.count('big/qwen-GGUF', 9);
  });

  it('finds the repositories with GGUF files, the most downloaded first', async () => {
    hub.gate('org/qwen-GGUF', TOKEN);
    expect(await search('qwen')).toEqual([
      { repo: 'big/qwen-GGUF', downloads: 9, likes: 1, gated: false },
      { repo: 'org/qwen-GGUF', downloads: 0, likes: 1, gated: true },
    ]);
    expect(await search('qwen', 1)).toHaveLength(1);
    expect(await search('nothing of this name')).toEqual([]);
  });

  it('tells the token of the hub to the hub', async () => {
    await finder({ HF_TOKEN: TOKEN }).search('qwen', 20, ALWAYS);
    expect(hub.requests).toMatchObject([{ stage: 'search', path: 'qwen', authorization: `Bearer ${TOKEN}` }]);
  });

  it('tries again when the hub stumbles, and says so when it does not answer as one', async () => {
    hub.fail('search', 'qwen', { kind: 'status', status: 500 }, 1);
    expect(await search('qwen')).toHaveLength(2);
    hub.fail('search', 'qwen', { kind: 'status', status: 500 });
    await expect(finder({}, IMPATIENT).search('qwen', 20, ALWAYS)).rejects.toMatchObject({
      data: { status: 502, code: 'download_failed', message: expect.stringMatching(/That was attempt \d+\.$/) },
    });
  });
});

describe('what a repository offers', () => {
  beforeEach(() => {
    hub.put('org/repo', 'm-Q8_0.gguf', bytes(80));
    hub.put('org/repo', 'm-Q4_K_M.gguf', bytes(40));
    hub.put('org/repo', 'm-F16-00001-of-00002.gguf', bytes(100));
    hub.put('org/repo', 'm-F16-00002-of-00002.gguf', bytes(60));
    hub.put('org/repo', 'README.md', bytes(5));
  });

  it('is each quantization with the size of all its files, the smallest first, and the one that a pull prefers', async () => {
    expect(await offer('org/repo')).toEqual({
      origin: 'org/repo',
      variants: [
        { source: 'hf:org/repo:Q4_K_M', quantization: 'Q4_K_M', size: 40, projector: false },
        { source: 'hf:org/repo:Q8_0', quantization: 'Q8_0', size: 80, projector: false },
        { source: 'hf:org/repo:F16', quantization: 'F16', size: 160, projector: false },
      ],
      named: 'hf:org/repo:Q4_K_M',
    });
  });

  it('has the projector with each of them', async () => {
    hub.put('org/repo', 'mmproj-F16.gguf', bytes(7));
    const { variants } = await offer('hf:org/repo');
    expect(variants.map(({ size, projector }) => [size, projector])).toEqual([
      [47, true],
      [87, true],
      [167, true],
    ]);
  });

  it('is asked for file by file where several have a quantization', async () => {
    hub.put('org/repo', 'other-Q8_0.gguf', bytes(90));
    const { variants, named } = await offer('hf:org/repo:Q8_0');
    expect(variants.map(({ source }) => source)).toEqual([
      'hf:org/repo:Q4_K_M',
      'hf:org/repo/m-Q8_0.gguf',
      'hf:org/repo/other-Q8_0.gguf',
      'hf:org/repo:F16',
    ]);
    expect(named).toBeNull();
  });

  it.each([
    ['org/repo:q8_0', 'hf:org/repo:Q8_0'],
    ['https://huggingface.co/org/repo', 'hf:org/repo:Q4_K_M'],
    ['https://huggingface.co/org/repo/blob/main/m-Q8_0.gguf', 'hf:org/repo:Q8_0'],
    ['hf:org/repo/m-F16-00002-of-00002.gguf', 'hf:org/repo:F16'],
    ['org/repo:Q5_K_M', null],
  ])('names what is meant by %s', async (source, named) => {
    expect((await offer(source)).named).toBe(named);
  });

  it('lacks a model of which a part is missing', async () => {
    hub.put('org/half', 'm-Q8_0-00001-of-00002.gguf', bytes(1));
    expect(await offer('org/half')).toEqual({ origin: 'org/half', variants: [], named: null });
  });

  it('is one file at the address of a file', async () => {
    const url = hub.putFile('m.gguf', bytes(12));
    expect(await offer(url)).toEqual({
      origin: new URL(url).host,
      variants: [{ source: url, quantization: null, size: 12, projector: false }],
      named: url,
    });
  });

  it('is refused as a pull is', async () => {
    const refused = { data: { status: 404, code: 'source_not_found' } };
    await expect(offer('org/nowhere')).rejects.toMatchObject(refused);
    await expect(offer('nonsense')).rejects.toMatchObject({ data: { code: 'invalid_source' } });
  });
});
