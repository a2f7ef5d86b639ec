// @module-tag slow
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultConfig } from '../../../src/cli/config/command.ts';
import { choose, probeBackend } from '../../../src/cli/doctor/backends.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { checkFolders, findModels } from '../../../src/cli/doctor/folders.ts';
import { checkNode } from '../../../src/cli/doctor/machine.ts';
import { describeModels } from '../../../src/cli/doctor/media.ts';
import { checkAddress } from '../../../src/cli/doctor/server.ts';
import { checkStart } from '../../../src/cli/doctor/start.ts';
import { hashOf, writeKeysFile } from '../../../src/serve/keys/keys-file.ts';
import { modelCard } from '../../api/fixtures.ts';

describe('the backend that a server would use', () => {
  const results = (gpu: boolean, cpu: boolean, wasm: boolean) => [
    { name: 'gpu' as const, ok: gpu, detail: gpu ? 'cuda' : 'no GPU' },
    { name: 'cpu' as const, ok: cpu, detail: cpu ? 'cpu' : 'no binary' },
    { name: 'wasm' as const, ok: wasm, detail: wasm ? '64-bit' : 'no memory' },
  ];
  const order = '(auto takes the first that works of gpu, cpu and wasm)';

  it.each([
    ['auto', results(true, true, true), 'ok', `gpu ${order}`],
    ['auto', results(false, true, true), 'ok', `cpu ${order}; gpu passed over: no GPU`],
    ['auto', results(false, false, true), 'ok', `wasm ${order}; gpu passed over: no GPU; cpu passed over: no binary`],
    ['wasm', results(true, true, true), 'ok', 'wasm (--backend wasm is set)'],
    ['gpu', results(false, true, true), 'fail', 'nothing (--backend gpu is set); gpu passed over: no GPU'],
  ] as const)('with %s is the first that works', (wanted, found, status, detail) => {
    expect(choose(wanted, [...found])).toMatchObject({ status, detail });
  });
});

describe('the probe of a backend', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paddock-probe-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['crashes', "process.kill(process.pid, 'SIGSEGV')", 'it crashed with SIGSEGV'],
    ['throws', "throw new Error('no such library')", 'no such library'],
    ['ends without a word', '', 'it ended without a word'],
    ['writes other things too', `console.log('hm'); console.log('{"ok":false,"detail":"why"}')`, 'why'],
  ])('that %s is reported as a failure', async (_, source, detail) => {
    const file = join(folder, 'probe.cjs');
    await writeFile(file, source);
    const result = await probeBackend('cpu', file);
    expect(result.ok).toBe(false);
    expect(result.detail).toContain(detail);
  });
});

describe('the models that take images or audio', () => {
  const wasm = (status: Finding['status']) => ({ id: 'wasm', title: 'WebAssembly', status, detail: 'no memory' });
  const missing = { path: null, reason: 'libmtmd is not built' };
  const eye = modelCard({ id: 'eye', settings: { embedding: false, vision_model: true } });
  const ear = modelCard({ id: 'ear', audioModel: true });

  it('are listed with their backend and the reason for it', () => {
    expect(describeModels([eye, ear], wasm('ok'), missing)).toMatchObject({
      status: 'ok',
      detail: 'eye (vision), ear (audio): on WebAssembly, because libmtmd is not built',
    });
    expect(describeModels([eye], wasm('info'), { path: '/libmtmd.so' })).toMatchObject({
      status: 'ok',
      detail: 'eye (vision): on the native engine',
    });
  });

  it('give a warning if WebAssembly does not work', () => {
    expect(describeModels([eye], wasm('info'), missing)).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(/^eye \(vision\): .*does not work here: no memory$/),
    });
  });

  it('may not exist', () => {
    expect(describeModels([], wasm('ok'), missing).status).toBe('info');
  });
});

describe('Node', () => {
  it.each([
    ['18.20.0', 'fail'],
    ['20.18.3', 'fail'],
    ['20.19.0', 'ok'],
    ['22.0.0', 'ok'],
  ])('%s: %s', (version, status) => expect(checkNode(version).status).toBe(status));
});

describe('the address', () => {
  const check = (port: number, host = '127.0.0.1') => checkAddress({ ...defaultConfig({}), host, port });
  let other: Server;
  afterAll(() => other.close());

  it('may be free', async () => {
    expect((await check(0)).status).toBe('ok');
  });

  it('may be in use by another program', async () => {
    other = createServer((_, res) => res.end('{"status":"ok"}')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    expect(await check((other.address() as AddressInfo).port)).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('something else uses it'),
    });
  });

  it('may be reachable from other machines without a key', async () => {
    expect(await check(0, '0.0.0.0')).toMatchObject({ status: 'fail', detail: expect.stringContaining('--api-key') });
  });
});

describe('what a server reads at its start', () => {
  const catalogue = { find: (id: string) => (id === 'tiny' ? modelCard() : undefined), list: () => [] };
  const check = (given: { keys?: string; preload?: string[] }) =>
    checkStart({ keys: undefined, preload: [], ...given }, catalogue);
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paddock-start-'));
    file = join(folder, 'keys.json');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('may be nothing', () => {
    expect(check({})).toEqual([]);
  });

  it.each([
    [['tiny'], 'ok', 'tiny'],
    [['tiny', 'nope'], 'fail', '--preload names the model nope, which does not exist'],
  ])('may be the models %j of --preload', (preload, status, detail) => {
    expect(check({ preload })).toEqual([{ id: 'preload', title: 'preload', status, detail }]);
  });

  it('may be a file of keys, whose models should exist', async () => {
    const key = { name: 'alice', sha256: hashOf('a'), created: '', models: ['tiny'] };
    await writeKeysFile(file, [key]);
    expect(check({ keys: file })).toMatchObject([{ status: 'ok', detail: `${file}, 1 key` }]);
    await writeKeysFile(file, [key, { ...key, name: 'bob', models: ['gone'] }]);
    const detail = `${file}, 2 keys; bob may use the model gone, which does not exist`;
    expect(check({ keys: file })).toMatchObject([{ id: 'keys', status: 'warn', detail }]);
  });

  it('may be a file of keys that is missing or wrong', async () => {
    expect(check({ keys: join(folder, 'none') })).toMatchObject([
      { status: 'fail', detail: expect.stringContaining("the file of --keys can't be read: ENOENT") },
    ]);
    await writeFile(file, '{"keys":[{}]}');
    expect(check({ keys: file })).toMatchObject([{ status: 'fail', detail: expect.stringContaining('is wrong at') }]);
  });
});

describe('the models folder', () => {
  it('may not exist yet', async () => {
    const findings = await checkFolders(await findModels(join(tmpdir(), 'paddock-none')));
    expect(findings.find(({ id }) => id === 'models')).toMatchObject({
      status: 'info',
      detail: expect.stringContaining('does not exist yet'),
    });
  });

  it.skipIf(process.getuid?.() === 0)('may be forbidden to this user', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paddock-closed-'));
    await chmod(folder, 0o000);
    const findings = await checkFolders(await findModels(folder));
    expect(findings.find(({ id }) => id === 'models')?.status).toBe('fail');
    await rm(folder, { recursive: true });
  });
});
