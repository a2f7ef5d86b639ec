import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { writeGivenFile } from '../config/given-file.ts';

/** The settings of a load that `paddock tune` measures. */
const settingsSchema = v.object({
  batch: v.optional(v.number()),
  slots: v.optional(v.number()),
  flashAttention: v.optional(v.boolean()),
});

const recordSchema = v.object({
  /** The id of the model at the time of the measurement. The model is found by its fingerprint. */
  model: v.string(),
  fingerprint: v.string(),
  machine: v.string(),
  backend: v.string(),
  date: v.string(),
  /** The settings that are faster than the defaults; empty if the defaults are fastest. */
  settings: settingsSchema,
  /** The speed with these settings, divided by the speed with the defaults. */
  gain: v.number(),
});

const fileSchema = v.object({ version: v.literal(1), records: v.array(recordSchema) });

export type TunedSettings = v.InferOutput<typeof settingsSchema>;
/** The result of a measurement for one model on one machine. */
export type Tuning = v.InferOutput<typeof recordSchema>;

/** Reads all results. A missing or broken file counts as empty. */
export async function readTunings(path: string): Promise<Tuning[]> {
  try {
    return v.parse(fileSchema, JSON.parse(await readFile(path, 'utf8'))).records;
  } catch {
    return [];
  }
}

/** Stores a result in place of earlier results for the same model, machine and backend. Throws if the file can't be written. */
export async function keepTuning(path: string, tuning: Tuning): Promise<void> {
  const others = (await readTunings(path)).filter((other) => !isFor(other, tuning));
  await writeGivenFile(path, JSON.stringify({ version: 1, records: [...others, tuning] }, null, 1));
}

/** True if a result was measured for this model, machine and backend. */
export function isFor(tuning: Tuning, wanted: Pick<Tuning, 'fingerprint' | 'machine' | 'backend'>): boolean {
  return (
    tuning.fingerprint === wanted.fingerprint && tuning.machine === wanted.machine && tuning.backend === wanted.backend
  );
}

/** Describes a result in a sentence. */
export function sayTuning({ settings, gain }: Pick<Tuning, 'settings' | 'gain'>): string {
  const found = describeSettings(settings);
  return found === ''
    ? 'nothing is better than the defaults'
    : `${found}, ${gain.toFixed(2)} times as fast as the defaults`;
}

/** Describes settings, as in `batch 1024, 8 slots`. */
export function describeSettings({ batch, slots, flashAttention }: TunedSettings): string {
  return [
    ...(batch === undefined ? [] : [`batch ${batch}`]),
    ...(slots === undefined ? [] : [`${slots} slots`]),
    ...(flashAttention === undefined ? [] : [`${flashAttention ? 'with' : 'without'} flash attention`]),
  ].join(', ');
}

const EDGE_BYTES = 2 ** 20;

/**
 * Returns a hash that identifies a model by the sizes and the first and last MiB of its files: reading a whole large model takes longer
 * than loading it. Throws if a file can't be read.
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
