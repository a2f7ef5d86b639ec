import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPuller } from '../../../../src/catalogue/pull/node/puller.ts';
import type { Patience } from '../../../../src/catalogue/pull/patience.ts';
import type { PullEvent, Puller } from '../../../../src/contract/models/puller.ts';
import { recordingLog } from '../../../kit/log.ts';
import { float32Tensor, ggufChunks, text, uint32 } from '../../../kit/models/gguf-writer.ts';
import { makeRandom } from '../../../kit/random.ts';
import { startHub, type TestHub } from '../../../kit/servers/test-hub.ts';

/** Retries follow at once, and the time limits are long enough for a busy machine. */
export const EAGER: Patience = {
  stallMs: 10_000,
  firstDelayMs: 1,
  longestDelayMs: 20,
  resolvingMs: 20_000,
  downloadingMs: 20_000,
};

/** Short limits for faults that never end. */
export const IMPATIENT: Partial<Patience> = { resolvingMs: 700, downloadingMs: 700 };

/**
 * Makes a GGUF with one tensor of random numbers, 262 kB by default. Another seed makes another file of the same
 * length.
 */
export function smallGguf(seed: number, length = 65_536): Uint8Array {
  const random = makeRandom(seed);
  const values = Float32Array.from({ length }, () => random() / 2 ** 32);
  const entries = { 'general.architecture': text('qwen2'), 'qwen2.context_length': uint32(64) };
  return Buffer.concat([...ggufChunks(entries, [float32Tensor('token_embd.weight', [values.length], values)])]);
}

/** A hub, and a Paddock home that pulls go to. */
export interface PullBench {
  hub: TestHub;
  home: string;
  log: string[];
  /** The number of times that the catalogue was told to refresh. */
  refreshed: () => number;
  puller: (options?: { env?: Record<string, string>; patience?: Partial<Patience>; allowPrivate?: boolean }) => Puller;
  /** The paths of all files below the models folder, sorted. */
  published: () => Promise<string[]>;
  read: (path: string) => Promise<Buffer>;
  close: () => Promise<void>;
}

export async function openBench(): Promise<PullBench> {
  const hub = await startHub();
  const home = await mkdtemp(join(tmpdir(), 'paddock-pull-'));
  const modelsFolder = join(home, 'models');
  const log: string[] = [];
  let refreshed = 0;
  return {
    hub,
    home,
    log,
    refreshed: () => refreshed,
    puller: ({ env = {}, patience = {}, allowPrivate = true } = {}) =>
      createPuller({
        modelsFolder,
        downloadsFolder: join(home, 'downloads'),
        env: { HF_ENDPOINT: hub.url, ...env },
        // The hub's content servers are on this machine.
        allowPrivate,
        refresh: async () => {
          refreshed += 1;
        },
        log: recordingLog(log),
        patience: { ...EAGER, ...patience },
      }),
    published: () => filesBelow(modelsFolder),
    read: (path) => readFile(join(modelsFolder, path)),
    close: async () => {
      await hub.close();
      await rm(home, { recursive: true });
    },
  };
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Pulls to the end and returns all events. */
export async function pull(
  puller: Puller,
  source: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<PullEvent[]> {
  const events: PullEvent[] = [];
  for await (const event of puller.pull(source, signal)) events.push(event);
  return events;
}
