import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { probeGpus } from '../../src/cli/doctor/backends.ts';
import { createFindGpu } from '../../src/pool/load/find-gpu.ts';
import { describeCommit, describeMachine } from '../compare/results.ts';

/**
 * Measures all that a machine with a GPU is needed for, in one command and within ten minutes: `npm run bench:gpu`. It does
 * its steps in turn and notes each result in one file. Where it was stopped, or ran out of time, it goes on when it is
 * called again. `--fresh` begins anew.
 *
 * `--small` takes the tiny models and few streams, to prove the command on a software GPU. `--peer` names another server
 * as `npm run bench` does; give it as many slots as Paddock has (`-np 64`).
 */
const { values } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    peer: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '10' },
    folder: { type: 'string', default: '.cache/bench' },
  },
});

/** What a step has said, and how it ended. */
interface StepResult {
  status: 'done' | 'failed' | 'stopped';
  seconds: number;
  /** The end of its output. */
  output: string;
}

interface Step {
  name: string;
  /** The command and its arguments, or the reason why it is not needed here. */
  command: string[] | { skipped: string };
}

/** A step is not begun with less time than this, in seconds. */
const LEAST_SECONDS = 5;
/** The end of a step's output that is kept, in characters. */
const KEPT_OUTPUT = 12_000;
/** The compute capabilities for which the prebuilt CUDA library has machine code. */
const PREBUILT = ['8.6', '8.9', '12.0', '12.1'];
/** Where `npm run build:cuda` puts a library for another one. */
const BUILT = 'node_modules/node-llama-cpp/llama/localBuilds/linux-x64-cuda/buildDone.status';

const end = performance.now() + Number(values.minutes) * 60_000;
const file = join(values.folder, values.small ? 'gpu-small.json' : 'gpu.json');
mkdirSync(values.folder, { recursive: true });
const results: Record<string, StepResult> =
  !values.fresh && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).steps : {};

const { detail } = await probeGpus(createFindGpu());
const capability = await nvidia('compute_cap');
const steps = values.small ? smallSteps() : fullSteps(capability);
for (const step of steps) {
  if (results[step.name]?.status === 'done') continue;
  const left = (end - performance.now()) / 1000;
  if (left < LEAST_SECONDS) break;
  process.stderr.write(`${step.name}, ${Math.round(left)} s left\n`);
  results[step.name] = await runStep(step, left);
  save();
}
save();
const open = steps.filter(({ name }) => results[name]?.status !== 'done').map(({ name }) => name);
process.stdout.write(`${file}: ${open.length === 0 ? 'all steps are done' : `not done: ${open.join(', ')}`}\n`);

function save(): void {
  const about = { date: new Date().toISOString(), commit: describeCommit(), machine: describeMachine(), gpu: detail };
  writeFileSync(file, `${JSON.stringify({ ...about, capability, steps: results }, null, 2)}\n`);
}

/** The steps on a real GPU. The most telling come first. */
function fullSteps(computeCapability: string): Step[] {
  const needsBuild = computeCapability !== '' && !PREBUILT.includes(computeCapability) && !existsSync(BUILT);
  const bench = (model: string, streams: string, workloads = 'short') => ({
    name: `${model}, ${workloads}, ${streams} streams`,
    command: [
      ...['node', 'dist/benchmarks/compare.js', '--model', model, '--workloads', workloads, '--streams', streams],
      ...['--rounds', '1', '--folder', values.folder, '--paddock=--slots 64 --ctx-len 4096 --backend gpu --no-cache'],
      ...values.peer.flatMap((peer) => ['--peer', peer]),
    ],
  });
  return [
    {
      name: 'llama.cpp for this card',
      command: needsBuild ? ['node', 'native/build-cuda.js'] : { skipped: 'there is a library with code for it' },
    },
    ...modelSteps(['0.5b-q8_0', '7b-q4_k']),
    ...['0.5b-q8_0', '7b-q4_k'].map((model) => bench(model, '1,4,16,32,64')),
    profile('half-billion', '1,4,16,64'),
    bench('7b-q4_k', '1,4', 'prompt'),
    contract(),
  ];
}

/** The same steps at a small size. */
function smallSteps(): Step[] {
  const paddock = '--paddock=--slots 4 --ctx-len 512 --backend gpu --no-cache --threads 1';
  const compare = ['node', 'dist/benchmarks/compare.js', '--model', 'tiny', '--workloads', 'short', '--streams', '1,4'];
  return [
    ...modelSteps(['tiny']),
    { name: 'tiny, short, 1,4 streams', command: [...compare, '--rounds', '1', '--folder', values.folder, paddock] },
    profile('tiny', '1,4'),
  ];
}

function modelSteps(names: string[]): Step[] {
  return names.map((name) => ({
    name: `model ${name}`,
    command: ['node', join('dist', 'benchmarks', 'gpu', 'gpu-day-model.js'), name, values.folder],
  }));
}

/** The time of a step of the engine alone, without server, by the number of streams. */
function profile(model: string, streams: string): Step {
  const command = ['node', 'dist/benchmarks/step-time.js', '--model', model, '--backend', 'gpu', '--rounds', '1'];
  command.push('--streams', streams);
  return { name: `a step of ${model}`, command };
}

function contract(): Step {
  return { name: 'contract', command: ['npx', '--no', 'vitest', 'run', 'test/contract/gpu.test.ts'] };
}

/** Runs a step for as many seconds as are left. Never rejects. */
async function runStep({ command }: Step, seconds: number): Promise<StepResult> {
  if ('skipped' in command) return { status: 'done', seconds: 0, output: command.skipped };
  const since = performance.now();
  const [program = '', ...args] = command;
  let output = '';
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const take = (bytes: Buffer) => {
    output = (output + bytes).slice(-KEPT_OUTPUT);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const timer = setTimeout(() => child.kill('SIGTERM'), seconds * 1000);
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', resolve);
  });
  clearTimeout(timer);
  const took = (performance.now() - since) / 1000;
  const status = code === 0 ? 'done' : took >= seconds - 1 ? 'stopped' : 'failed';
  return { status, seconds: Math.round(took), output };
}

/** Asks NVIDIA's driver for a property of the first GPU; '' if there is none. */
async function nvidia(property: string): Promise<string> {
  const query = ['nvidia-smi', `--query-gpu=${property}`, '--format=csv,noheader'];
  const { status, output } = await runStep({ name: property, command: query }, 20);
  return status === 'done' ? (output.split('\n')[0]?.trim() ?? '') : '';
}
