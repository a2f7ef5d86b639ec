import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

/** The figures of one round of one endpoint. Times are in ms. A figure is null if it could not be measured. */
export interface RoundFigures {
  /** Tokens of all replies, as the server reports them. */
  tokens: number;
  /** Chunks with content of all replies. */
  chunks: number;
  /** Prompt tokens of the first request. */
  promptTokens: number | null;
  /** All tokens, divided by the time until the last reply was complete. */
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

/** A workload with a number of streams: the rounds of each endpoint, in the order of `Results.endpoints`. */
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
  /** The name of the GPU, if the NVIDIA driver reports one. */
  gpu?: string;
  system: string;
  node: string;
}

/** The stored results of a run. Paddock is the first endpoint. */
export interface Results {
  date: string;
  commit: string;
  machine: Machine;
  /**
   * The load average: in the minute before the run, and in its last minute. A value above 0 before the run means that
   * the machine was busy.
   */
  load: { before: number; after: number };
  endpoints: { name: string; command: string }[];
  models: ModelFacts[];
  comparisons: Comparison[];
}

/** Has a folder for each stored run. */
export const RESULTS_FOLDER = 'benchmarks/results';

/** The path of a run's results, from the root of the repository. */
export function resultFile(name: string): string {
  return `${RESULTS_FOLDER}/${name}/result.json`;
}

/** The path of a run's plot, from the root of the repository. `plot` is that of a `ShownFigure`. */
export function plotFile(name: string, plot: string): string {
  return `${RESULTS_FOLDER}/${name}/${plot}.svg`;
}

/** Returns all stored results, sorted by the names of their runs. */
export function readResults(): [name: string, results: Results][] {
  if (!existsSync(RESULTS_FOLDER)) return [];
  return readdirSync(RESULTS_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => [name, JSON.parse(readFileSync(resultFile(name), 'utf8')) as Results]);
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

/** Returns the commit of the sources, with a mark if they have changed since; `unknown` without git. */
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

/** Returns the load average of the last minute, rounded to one digit. */
export function currentLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}

/** Returns the size of a model file in bytes, and its SHA-256. */
export async function describeModel(name: string, file: string): Promise<ModelFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(file)) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { name, bytes, sha256: hash.digest('hex') };
}
