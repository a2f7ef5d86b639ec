import type { Command } from 'commander';
import { Option } from 'commander';
import * as v from 'valibot';
import { createPrompts, measure } from '../bench/measure.ts';
import { reachServer } from '../client/reach.ts';
import { addSettings, readConfig } from '../config/command.ts';
import { type Config, DEFAULT_BATCH } from '../config/settings.ts';
import { integer } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { estimateLoad } from '../estimate-load.ts';
import { tuningsFile } from '../home.ts';
import { readLocalModels, unknownModel } from '../local-models.ts';
import { note, print, printJson } from '../output.ts';
import { findBest, type Trial } from '../tune/compare.ts';
import {
  describeSettings,
  fingerprintOf,
  keepTuning,
  sayTuning,
  type TunedSettings,
  type Tuning,
} from '../tune/tunings.ts';

const DEFAULT_ROUNDS = 3;
/** Of fewer pairs, chance would say too much. */
const LEAST_ROUNDS = 3;
const BATCHES = [256, 1024, 2048];
const LEAST_SLOTS = 4;
/** The job of a trial: each stream reads and writes so many tokens. */
const PROMPT_TOKENS = 256;
const REPLY_TOKENS = 32;

export function registerTune(program: Command): void {
  const command = program
    .command('tune')
    .description('measure which batch and how many slots suit a model on this machine, and remember it')
    .argument('<model>', 'its id')
    .option('--json', 'print the result as JSON')
    .addOption(new Option('--rounds <n>', `pairs of measurements for each setting (default: ${DEFAULT_ROUNDS})`));
  addSettings(command, ['models', 'backend', 'ctxLen', 'threads'])
    .addHelpText(
      'after',
      '\nIt loads the model many times and takes minutes. A server that starts later uses what was found, but for what its own ' +
        'settings or the model.json name.',
    )
    .action(tune);
}

async function tune(model: string, { json, rounds, ...options }: Record<string, unknown>): Promise<void> {
  const count = v.safeParse(integer(LEAST_ROUNDS, 100), rounds ?? DEFAULT_ROUNDS);
  if (!count.success) throw new UsageError(`--rounds ${count.issues[0].message}`);
  const config = readConfig(options);
  const catalogue = await readLocalModels(config.models);
  const source = catalogue.sourceOf(model);
  if (!source)
    throw unknownModel(
      model,
      catalogue.list().map(({ id }) => id),
    );
  if (source.kind !== 'chat') throw new Error(`the model '${model}' writes no text: there is nothing to tune`);

  const { slots } = estimateLoad(source, config);
  const standard = { batch: DEFAULT_BATCH, slots };
  let backend = '';
  const trial = async (settings: TunedSettings): Promise<Trial> => {
    if (process.stderr.isTTY) note(`${describeSettings({ ...standard, ...settings })} ...`);
    const measured = await measureOnce({ ...config, ...standard, ...settings }, model, slots);
    backend = measured.backend;
    return measured;
  };
  // The first load of a model reads it from the disk. No trial is to pay for that.
  await trial({});
  if (backend === 'wasm') throw new Error(`the model '${model}' runs on WebAssembly: there is nothing to tune`);
  const candidates = [...BATCHES.map((batch) => ({ batch })), ...fewerSlots(slots).map((fewer) => ({ slots: fewer }))];
  const { settings, gain } = await findBest(candidates, trial, count.output);
  const { describeMachine } = await import('../tune/machine.ts');
  const tuning: Tuning = {
    model,
    fingerprint: fingerprintOf(source.files),
    machine: describeMachine(),
    backend,
    date: new Date().toISOString().slice(0, 10),
    settings,
    gain: Math.round(gain * 100) / 100,
  };
  await keepTuning(tuningsFile(), tuning);
  if (json) printJson(tuning);
  else print(`${model} on ${backend}: ${sayTuning(tuning)}`);
}

/** The numbers of slots to try: halves, down to a few. */
function fewerSlots(slots: number): number[] {
  const half = Math.floor(slots / 2);
  return half < LEAST_SLOTS ? [] : [half, ...fewerSlots(half)];
}

/** Starts a server with these settings, and measures as many streams as the defaults have slots. */
async function measureOnce(config: Config, model: string, streams: number): Promise<Trial & { backend: string }> {
  await using reached = await reachServer({ url: undefined, key: undefined, own: true, config });
  const { client } = reached;
  const plan = { model, promptTokens: PROMPT_TOKENS, replyTokens: REPLY_TOKENS, rounds: 1 };
  const nextPrompt = await createPrompts(client, plan);
  const alone = await measure(client, plan, 1, nextPrompt);
  const together = await measure(client, plan, streams, nextPrompt);
  const found = (await client.health()).models.find(({ id }) => id === model);
  if (!found || alone.firstTokenMs === null) throw new Error(`the model '${model}' wrote nothing to measure`);
  return {
    togetherPerSecond: together.togetherPerSecond,
    firstTokenMs: alone.firstTokenMs,
    backend: found.backend,
  };
}
