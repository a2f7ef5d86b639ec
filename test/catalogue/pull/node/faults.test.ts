// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/contract/errors.ts';
import type { Fault } from '../../../kit/servers/hub-content.ts';
import type { Stage } from '../../../kit/servers/hub-faults.ts';
import { IMPATIENT, openBench, type PullBench, pull, smallGguf } from './fixtures.ts';

const FILE = 'm-Q4_K_M.gguf';
const PUBLISHED = [`org/repo/Q4_K_M/${FILE}`, 'org/repo/Q4_K_M/model.json'];
const right = smallGguf(1);

let bench: PullBench;
beforeEach(async () => {
  bench = await openBench();
  bench.hub.put('org/repo', FILE, right);
});
afterEach(() => bench.close());

const status = (code: number, headers: Record<string, string> = {}): Fault => ({
  kind: 'status',
  status: code,
  headers,
});

/** A fault of silence needs a short limit only. */
const silenceOf = (fault: Fault) => (fault.kind === 'silence' ? { stallMs: 250 } : {});

/** A name, the stage that fails, the fault, and the number of requests that it spoils. */
type Row = [name: string, stage: Stage, fault: Fault, times: number];

/** Faults that pass. */
const PASSING: Row[] = [
  ['a connection that drops at 37%', 'content', { kind: 'drop', at: 0.37 }, 1],
  ['a connection that drops at once', 'content', { kind: 'drop', at: 0 }, 2],
  ['a connection that falls silent at 37%', 'content', { kind: 'silence', at: 0.37 }, 1],
  ['a hub that falls silent', 'resolve', { kind: 'silence', at: 0 }, 1],
  ['a body that ends early in good order', 'content', { kind: 'short', at: 0.37 }, 1],
  ['other bytes of the same length', 'content', { kind: 'garbled' }, 1],
  ['429 with Retry-After', 'content', status(429, { 'retry-after': '1' }), 1],
  ['429 without', 'resolve', status(429), 2],
  ['429 for the list of files', 'list', status(429, { 'retry-after': '0' }), 2],
  ['500 for the commit', 'info', status(500), 1],
  ['503', 'content', status(503), 3],
  ['an HTML page of a proxy', 'content', { kind: 'page', text: '<h1>Please log in</h1>' }, 2],
  ['a wrong length', 'content', { kind: 'short', at: 0.5 }, 2],
];

/** Faults that stay. */
const LASTING: [...Row, number, string, RegExp][] = [
  [
    'wrong bytes',
    'content',
    { kind: 'garbled' },
    9,
    502,
    'download_failed',
    /has the sha256 [0-9a-f]{64} and should have/,
  ],
  ['a wrong length', 'content', { kind: 'short', at: 0.37 }, 99, 502, 'download_failed', /sends \d+ bytes of m-Q4_K_M/],
  [
    'drops at the same byte',
    'content',
    { kind: 'drop', at: 0 },
    999,
    502,
    'download_failed',
    /the connection to .* failed/,
  ],
  ['silence', 'content', { kind: 'silence', at: 0 }, 999, 502, 'download_failed', /has sent nothing for 1 s/],
  ['an HTML page', 'content', { kind: 'page', text: 'Hello' }, 99, 502, 'download_failed', /should have 262304/],
  ['503', 'resolve', status(503), 999, 502, 'download_failed', /answered with status 503/],
  ['503 for the list', 'list', status(503), 999, 502, 'download_failed', /answered with status 503/],
  ['429 for an hour', 'list', status(429, { 'retry-after': '3600' }), 9, 502, 'download_failed', /come back in 3600 s/],
  ['401 for the file', 'resolve', status(401), 9, 403, 'source_forbidden', /Accept its terms.*set HF_TOKEN/],
  ['403 for the file', 'resolve', status(403), 9, 403, 'source_forbidden', /Accept its terms.*set HF_TOKEN/],
  ['401 for the repository', 'info', status(401), 9, 403, 'source_forbidden', /org\/repo is gated or private/],
  ['404 for the repository', 'info', status(404), 9, 404, 'source_not_found', /no repository or revision .*org\/repo/],
  ['404 for the file', 'content', status(404), 9, 404, 'source_not_found', /org\/repo/],
  ['400', 'content', status(400), 9, 502, 'download_failed', /answered with status 400/],
  ['a list that is no JSON', 'list', { kind: 'page', text: '<html>' }, 9, 502, 'download_failed', /does not answer as/],
];

describe('a pull from a hub that misbehaves', () => {
  it.each(PASSING)('ends in the right file after %s', async (_, stage, fault, times) => {
    bench.hub.fail(stage, stage === 'content' || stage === 'resolve' ? FILE : 'org/repo', fault, times);
    const events = await pull(bench.puller({ patience: silenceOf(fault) }), 'hf:org/repo');
    expect(events.at(-1)).toEqual({ status: 'done', model: 'org/repo:Q4_K_M', alreadyHere: false });
    expect(await bench.published()).toEqual(PUBLISHED);
    expect((await bench.read(PUBLISHED[0] ?? '')).equals(right)).toBe(true);
    expect(bench.hub.requests.filter((request) => request.stage === stage).length).toBeGreaterThanOrEqual(times);
  });

  it.each(LASTING)(
    'ends in a clear error if there is always %s',
    async (_, stage, fault, times, code, name, message) => {
      bench.hub.fail(stage, stage === 'content' || stage === 'resolve' ? FILE : 'org/repo', fault, times);
      const error = await pull(bench.puller({ patience: { ...IMPATIENT, ...silenceOf(fault) } }), 'hf:org/repo').catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ message: expect.stringMatching(message), data: { status: code, code: name } });
      expect(await bench.published()).toEqual([]);
    },
  );

  it('gives up on a server that restarts each time and always drops at the same byte', async () => {
    bench.hub.fail('content', FILE, { kind: 'drop', at: 0.37, rangeless: true });
    await expect(pull(bench.puller({ patience: IMPATIENT }), 'hf:org/repo')).rejects.toThrow(/connection to .* failed/);
    expect(await bench.published()).toEqual([]);
  });

  it('does not mistake a slow server for a silent one', async () => {
    bench.hub.fail('content', FILE, { kind: 'slow', pieces: 30, pauseMs: 50 }, 1);
    await pull(bench.puller({ patience: { stallMs: 1_000 } }), 'hf:org/repo');
    expect((await bench.read(PUBLISHED[0] ?? '')).equals(right)).toBe(true);
    expect(bench.hub.requests.filter(({ stage }) => stage === 'content')).toHaveLength(1);
  });

  it('waits as long as Retry-After says', async () => {
    bench.hub.fail('content', FILE, status(429, { 'retry-after': '1' }), 1);
    const events = await pull(bench.puller(), 'hf:org/repo');
    const waits = events.flatMap((event) => (event.status === 'waiting' ? [event.reason] : []));
    expect(waits).toEqual([expect.stringMatching(/answered with status 429; next attempt in 1 s$/)]);
  });

  it('deletes a file with wrong content and fetches it once more', async () => {
    bench.hub.fail('content', FILE, { kind: 'garbled' });
    await expect(pull(bench.puller(), 'hf:org/repo')).rejects.toThrow(/has the sha256 .* It has been deleted\.$/);
    expect(bench.hub.requests.filter(({ stage }) => stage === 'content').map(({ range }) => range)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('refuses a file that is smaller or larger than the listed one', async () => {
    bench.hub.put('org/repo', FILE, { bytes: right, listedSize: right.length + 1 });
    await expect(pull(bench.puller(), 'hf:org/repo')).rejects.toThrow(/sends 262304 bytes .* should have 262305/);
    bench.hub.put('org/repo', FILE, { bytes: right, listedSize: right.length - 1 });
    await expect(pull(bench.puller(), 'hf:org/repo')).rejects.toThrow(/sends 262304 bytes .* should have 262303/);
    expect(await bench.published()).toEqual([]);
  });

  it('refuses a file that is as listed but not a GGUF', async () => {
    bench.hub.put('org/repo', FILE, Buffer.alloc(1000));
    await expect(pull(bench.puller(), 'hf:org/repo')).rejects.toThrow(/the file is no GGUF/);
    bench.hub.put('org/repo', FILE, right.subarray(0, 200_000));
    await expect(pull(bench.puller(), 'hf:org/repo')).rejects.toThrow(
      /can not be served: .* incomplete: it has 200000 bytes of at least 262304/,
    );
    expect(await bench.published()).toEqual([]);
  });

  it('refuses a file that does not fit on the disk before it fetches anything, and names both sizes', async () => {
    bench.hub.put('org/repo', FILE, { bytes: right, listedSize: 10 ** 15 });
    const error = await pull(bench.puller(), 'hf:org/repo').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringMatching(/needs 1000 TB more .* has [\d.]+ [MGT]B free/),
      data: { status: 507, code: 'disk_full' },
    });
    expect(bench.hub.requests.map(({ stage }) => stage)).not.toContain('resolve');
  });

  it('says which host can not be reached', async () => {
    const puller = bench.puller({ env: { HF_ENDPOINT: 'http://127.0.0.1:1' }, patience: IMPATIENT });
    await expect(pull(puller, 'hf:org/repo')).rejects.toThrow(/connection to 127\.0\.0\.1:1 failed/);
  });

  it.each([
    '../escape.gguf',
    'a/..\\..\\b.gguf',
    '.hidden.gguf',
    'a\u0001b.gguf',
    `${'x'.repeat(250)}.gguf`,
    'con:x.gguf',
  ])('refuses a file with the name %j', async (path) => {
    bench.hub.put('evil/repo', path, right);
    await expect(pull(bench.puller(), 'hf:evil/repo')).rejects.toThrow(ApiError);
    expect(await bench.published()).toEqual([]);
  });
});

describe('a pull from a web server that misbehaves', () => {
  // The first request asks for the length.
  const passing: [string, Fault[]][] = [
    [
      'a connection that drops at 37%',
      [
        { kind: 'drop', at: 0.37 },
        { kind: 'drop', at: 0.37 },
      ],
    ],
    [
      'a drop, and no ranges then',
      [status(429), { kind: 'drop', at: 1 }, { kind: 'drop', at: 0.37 }, { kind: 'no ranges' }],
    ],
    ['a drop, and a wrong part then', [{ kind: 'drop', at: 1 }, { kind: 'drop', at: 0.37 }, { kind: 'wrong part' }]],
    ['garbled bytes', [{ kind: 'drop', at: 1 }, { kind: 'garbled' }]],
  ];
  it.each(passing)('ends in the right file after %s', async (_, faults) => {
    const url = bench.hub.putFile('x.gguf', right);
    for (const fault of faults) bench.hub.fail('content', 'x.gguf', fault, 1);
    await pull(bench.puller(), url);
    expect(await bench.published()).toEqual(['x/model.json', 'x/x.gguf']);
    expect((await bench.read('x/x.gguf')).equals(right)).toBe(true);
    expect(bench.hub.requests.length).toBeGreaterThanOrEqual(faults.length);
  });

  const lasting: [string, Fault, number, RegExp][] = [
    ['401', status(401), 403, /answered with status 401 for x\.gguf/],
    ['404', status(404), 404, /answered with status 404 for x\.gguf/],
    ['no length', { kind: 'page', text: 'hello' }, 502, /does not say how long x\.gguf is/],
    ['garbled bytes', { kind: 'garbled' }, 502, /x\.gguf can not be served: the file is no GGUF/],
  ];
  it.each(lasting)('ends in a clear error if there is always %s', async (_, fault, code, message) => {
    const url = bench.hub.putFile('x.gguf', right);
    bench.hub.fail('content', 'x.gguf', fault);
    const error = await pull(bench.puller(), url).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(message), data: { status: code } });
    expect(await bench.published()).toEqual([]);
  });

  it('refuses a file whose end is missing', async () => {
    const url = bench.hub.putFile('x.gguf', right.subarray(0, 200_000));
    await expect(pull(bench.puller(), url)).rejects.toThrow(
      /can not be served: .* incomplete: it has 200000 bytes of at least 262304/,
    );
    expect(await bench.published()).toEqual([]);
  });
});
