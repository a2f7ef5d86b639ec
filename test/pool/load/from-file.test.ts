import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
// The built pool is used, because its worker threads need real files.
import { createPool } from '../../../dist/src/pool/pool.js';
import { readFileCatalogue } from '../../../src/catalogue/node/catalogue.ts';
import { estimateLoad } from '../../../src/cli/estimate-load.ts';
import type { ModelSource } from '../../../src/engine/engine.ts';
import { ask, call, textOf } from '../../kit/generation.ts';
import { recordingLog, silentLog } from '../../kit/log.ts';
import { writeMixtureModel } from '../../kit/models/mixture-model.ts';

/** Runs a mixture of experts in this much memory. Returns its reply, its log and its Model object's engine. */
async function runIn(source: ModelSource, available: number) {
  const lines: string[] = [];
  await using pool = createPool({
    backend: 'cpu',
    engine: { contextLength: 1024, slots: 1, threads: 1, batchSize: 64 },
    maxWaiting: 8,
    maxLoadedModels: null,
    idleTimeoutMs: null,
    sourceOf: () => source,
    memory: () => ({ available, held: 0 }),
    log: recordingLog(lines),
  });
  const events = [];
  const signal = new AbortController().signal;
  for await (const event of pool.generate('mixture', ask('hello', { maxTokens: 8 }), call(signal))) events.push(event);
  return { text: textOf(events), log: lines.join('\n'), engine: pool.loaded()[0]?.engine };
}

it('a mixture of experts runs in a memory that does not hold all of its experts, and replies as in a large one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-mixture-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  writeMixtureModel(join(folder, 'mixture.gguf'));
  const source = (await readFileCatalogue([folder], silentLog)).sourceOf('mixture');
  if (!source) throw new Error('the model is not in the catalogue');
  expect(source.shape.experts).toEqual({ bytes: 4 * 3 * 8 * 128 * 64 * 4, count: 8, used: 2 });

  const config = { ctxLen: 1024, slots: 1, threads: 1, batch: 64 };
  const { total } = estimateLoad(source, config, 1e12);
  const short = total - 500_000;
  expect(estimateLoad(source, config, short)).toMatchObject({ fromFile: true, shortage: null });

  const large = await runIn(source, 1e12);
  expect(large.log).not.toContain('experts are read from the file');
  const small = await runIn(source, short);
  expect(small.text).toBe(large.text);
  expect(small.engine).toMatchObject({ slots: 1, contextLength: 1024 });
  expect(small.log).toContain('experts are read from the file');
  expect(small.log).toMatch(/readPerToken\W+[\d.]+ [kM]B/);
});
