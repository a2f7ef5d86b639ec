import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type RunningServer, startServer } from '../kit/servers/server.ts';

const models = inject('modelsFolder');
let peer: RunningServer;

beforeAll(async () => {
  peer = await startServer([
    '--models',
    models,
    '--log-level',
    'silent',
    '--slots',
    '2',
    '--ctx-len',
    '512',
    '--threads',
    '1',
  ]);
});

afterAll(async () => {
  await peer.stop();
});

it('compares a Paddock that it starts with an endpoint that runs already', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    'dist/benchmarks/compare.js',
    ...['--peer', `other=${peer.url}/v1`, '--model', join(models, 'tiny.gguf'), '--rounds', '1'],
    ...['--workloads', 'short,schema', '--streams', '2', '--paddock=--slots 2 --ctx-len 512 --threads 1'],
  ]);
  expect(stderr).not.toContain('different texts');
  // The speed of both, their ratio, and the memory of the one whose process is known.
  expect(stdout).toMatch(/\| short +\| 2 +\| [\d.]+ \/ [\d.]+ \([\d.]+x\).*\| \d+ \/ - +\|/);
  expect(stdout).toMatch(/\| schema +\| 2 +\| [\d.]+ \/ [\d.]+ /);
}, 60_000);
