import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type BenchmarkEagle3Options,
  writeBenchmarkEagle3,
} from '../../test/kit/models/draft-heads/benchmark-eagle3.ts';
import { type BenchmarkMtpOptions, writeBenchmarkMtp } from '../../test/kit/models/draft-heads/benchmark-mtp.ts';
import { type ModelOptions, type ModelShape, writeModel } from '../../test/kit/models/tiny-model.ts';
import { PASSAGE } from './workloads.ts';

/** A model of a run. */
export interface BenchModel {
  name: string;
  file: string;
}

/** A model of half a billion parameters whose MTP layer guesses all tokens right, or all wrong. */
const MTP_SHAPE = { shape: 'half-billion', quantization: 'Q8_0', vocabularySize: 151_936 } as const;

/** A model of half a billion parameters with an EAGLE-3 draft model beside it, which guesses all tokens right, or all wrong. */
const EAGLE3_SHAPE = { quantization: 'Q8_0', vocabularySize: 151_936, guessedSize: 32_000 } as const;

type Made = { shape: ModelShape; options: ModelOptions } | BenchmarkMtpOptions | BenchmarkEagle3Options;

/** The models that can be made on the spot: random weights in the shapes of real models. */
const MADE: Record<string, Made> = {
  '0.5b-q8_0': { shape: 'half-billion', options: { quantization: 'Q8_0' } },
  '0.5b-q4_k': { shape: 'half-billion', options: { quantization: 'Q4_K' } },
  '0.1b-q8_0': { shape: 'tenth-billion', options: { quantization: 'Q8_0' } },
  '0.1b-q4_k': { shape: 'tenth-billion', options: { quantization: 'Q4_K' } },
  '0.6b-q4_k_m': { shape: 'six-tenths-billion', options: { quantization: 'Q4_K_M' } },
  '0.6b-q6_k': { shape: 'six-tenths-billion', options: { quantization: 'Q6_K' } },
  'one-layer': { shape: 'one-layer', options: { quantization: 'Q8_0' } },
  '3b-q4_k': { shape: 'three-billion', options: { quantization: 'Q4_K' } },
  '7b-q4_k': { shape: 'seven-billion', options: { quantization: 'Q4_K' } },
  'mtp-right': { ...MTP_SHAPE, guessesRight: true },
  'mtp-wrong': { ...MTP_SHAPE, guessesRight: false },
  'eagle3-right': { ...EAGLE3_SHAPE, draftsRight: true },
  'eagle3-wrong': { ...EAGLE3_SHAPE, draftsRight: false },
  quoting: { shape: 'half-billion', options: { quantization: 'Q8_0', quotes: PASSAGE } },
  tiny: { shape: 'tiny', options: {} },
};

/**
 * Returns a model: one of `MADE`, which is written to `folder` if it is not there, or the GGUF at this path. Each made
 * model has a folder of its own, because some servers list all models of a folder.
 */
export function findModel(wanted: string, folder: string): BenchModel {
  const made = MADE[wanted];
  if (!made) {
    if (!existsSync(wanted))
      throw new Error(`There is no model ${wanted}. Give a GGUF file or one of ${Object.keys(MADE).join(', ')}.`);
    return { name: wanted.replace(/^.*\/|\.gguf$/g, ''), file: resolve(wanted) };
  }
  const file = resolve(folder, wanted, `${wanted}.gguf`);
  if (!existsSync(file)) {
    mkdirSync(join(folder, wanted), { recursive: true });
    writeMade(`${file}.part`, made);
    renameSync(`${file}.part`, file);
  }
  return { name: wanted, file };
}

function writeMade(file: string, made: Made): void {
  if ('guessesRight' in made) writeBenchmarkMtp(file, made);
  else if ('draftsRight' in made) writeBenchmarkEagle3(file, made);
  else writeModel(file, made.shape, made.options);
}
