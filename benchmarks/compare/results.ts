import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { basename, join } from 'node:path';

/** The figures of one round of one endpoint. Times are in ms; what could not be measured is null. */
export interface RoundFigures {
  /** Of all replies together, as the server counts them. */
  tokens: number;
  /** Chunks with content, of all replies together. */
  chunks: number;
  /** Of the first request. */
  promptTokens: number | null;
  /** All tokens by the time until the last reply was complete. */
  tokensPerSecond: number;
  firstTokenP50: number | null;
  firstTokenP99: number | null;
  gapP50: number | null;
  gapP99: number | null;
  cpuSecondsPer1000: number | null;
  peakMiB: number | null;
}

/** The names of the figures that are compared. */
export type Figure = Exclude<keyof RoundFigures, 'tokens' | 'chunks' | 'promptTokens'>;

/** A workload at some number of streams: the rounds of each endpoint, in the order of `Results.endpoints`. */
export interface Comparison {
  model: string;
  workload: string;
  streams: number;
  rounds: RoundFigures[][];
}

export interface ModelFacts {
  name: string;
  bytes: number;
  sha256: string;
}

export interface Machine {
  processor: string;
  cores: number;
  memoryGiB: number;
  /** The name of its GPU, if NVIDIA's driver tells one. */
  gpu?: string;
  system: string;
  node: string;
}

/** What a run stores. Paddock is the first endpoint. */
export interface Results {
  date: string;
  commit: string;
  machine: Machine;
  /** The mean number of busy processes in the minute before the run and in its last minute; more than 0 before it is a busy machine. */
  load: { before: number; after: number };
  endpoints: { name: string; command: string }[];
  models: ModelFacts[];
  comparisons: Comparison[];
}

export const RESULTS_FOLDER = 'benchmarks/results';

/** All stored results by name, in the order of the names. */
export function readResults(folder: string = RESULTS_FOLDER): [name: string, results: Results][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(folder, file), 'utf8')) as Results]);
}

export function describeMachine(): Machine {
  const gpu = gpuName();
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    ...(gpu !== undefined && { gpu }),
    system: `${process.platform} ${release()}`,
    node: process.version,
  };
}

function gpuName(): string | undefined {
  try {
    return execFileSync('nvidia-smi', ['--query-gpu=name', '--format=csv,noheader'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** The commit of the sources, with a mark if they have changed since. */
export function describeCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    return (
      git('rev-parse', '--short=12', 'HEAD') +
      (git('status', '--porcelain', '--', 'src', 'workers') ? ' + changes' : '')
    );
  } catch {
    return 'unknown';
  }
}

export function currentLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}

export async function describeModel(name: string, file: string): Promise<ModelFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(file)) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { name, bytes, sha256: hash.digest('hex') };
}
