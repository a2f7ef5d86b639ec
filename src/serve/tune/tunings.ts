import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { writeGivenFile } from '../config/given-file.ts';

/** Settings of a load that `paddock tune` tries. */
const settingsSchema = v.object({
  batch: v.optional(v.number()),
  slots: v.optional(v.number()),
  flashAttention: v.optional(v.boolean()),
});

const recordSchema = v.object({
  /** The id that the model had; it is found again by its fingerprint. */
  model: v.string(),
  fingerprint: v.string(),
  machine: v.string(),
  backend: v.string(),
  date: v.string(),
  /** What is better than the defaults; nothing if they are best. */
  settings: settingsSchema,
  /** How many times as fast as with the defaults. */
  gain: v.number(),
});

const fileSchema = v.object({ version: v.literal(1), records: v.array(recordSchema) });

export type TunedSettings = v.InferOutput<typeof settingsSchema>;
/** What was measured for one model on one machine. */
export type Tuning = v.InferOutput<typeof recordSchema>;

/** Reads what has been measured. A missing or broken file is as if nothing had been. */
export async function readTunings(path: string): Promise<Tuning[]> {
  try {
    return v.parse(fileSchema, JSON.parse(await readFile(path, 'utf8'))).records;
  } catch {
    return [];
  }
}

/** Keeps a tuning in place of what was measured before for this model, machine and backend. */
export async function keepTuning(path: string, tuning: Tuning): Promise<void> {
  const others = (await readTunings(path)).filter((other) => !isFor(other, tuning));
  await writeGivenFile(path, JSON.stringify({ version: 1, records: [...others, tuning] }, null, 1));
}

/** Says whether a tuning was measured for this model, machine and backend. */
export function isFor(tuning: Tuning, wanted: Pick<Tuning, 'fingerprint' | 'machine' | 'backend'>): boolean {
  return (
    tuning.fingerprint === wanted.fingerprint && tuning.machine === wanted.machine && tuning.backend === wanted.backend
  );
}

/** In words what was found. */
export function sayTuning({ settings, gain }: Pick<Tuning, 'settings' | 'gain'>): string {
  const found = describeSettings(settings);
  return found === ''
    ? 'nothing is better than the defaults'
    : `${found}, ${gain.toFixed(2)} times as fast as the defaults`;
}

/** As in `batch 1024, 8 slots`. */
export function describeSettings({ batch, slots, flashAttention }: TunedSettings): string {
  return [
    ...(batch === undefined ? [] : [`batch ${batch}`]),
    ...(slots === undefined ? [] : [`${slots} slots`]),
    ...(flashAttention === undefined ? [] : [`${flashAttention ? 'with' : 'without'} flash attention`]),
  ].join(', ');
}

const EDGE_BYTES = 2 ** 20;

/**
 * Tells models apart by their sizes and by the first and the last MiB of each file: to read all of a large model takes longer than
 * to load it. Throws if a file can't be read.
 */
export function fingerprintOf(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      const edge = Buffer.alloc(Math.min(size, EDGE_BYTES));
      hash.update(`${size} `);
      for (const start of [0, size - edge.length])
        hash.update(edge.subarray(0, readSync(handle, edge, 0, edge.length, start)));
    } finally {
      closeSync(handle);
    }
  }
  return hash.digest('hex');
}
