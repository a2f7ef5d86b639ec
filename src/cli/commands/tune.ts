import type { Command } from 'commander';
import { Option } from 'commander';
import type { Config } from '../../serve/config/settings.ts';
import { integerSetting, readValue } from '../../serve/config/values.ts';
import { tuningsFile } from '../../serve/home.ts';
import { note, print, printJson } from '../../serve/output.ts';
import { describeSettings, fingerprintOf, keepTuning, sayTuning, type Tuning } from '../../serve/tune/tunings.ts';
import { createPrompts, engineOf, measure } from '../bench/measure.ts';
import { type ReachedServer, reachServer } from '../client/reach.ts';
import { addSettings, readCommandConfig } from '../config/command.ts';
import type { Trial } from '../tune/compare.ts';
import { findTuning, type Workbench } from '../tune/find-tuning.ts';

const DEFAULT_ROUNDS = 3;
/** With fewer pairs, noise would decide. */
const LEAST_ROUNDS = 3;
/** In a trial, each stream has a prompt and a reply of this many tokens. */
const PROMPT_TOKENS = 256;
const REPLY_TOKENS = 32;

export function registerTune(program: Command): void {
  const command = program
    .command('tune')
    .description(
      'measure which batch, how many slots and which attention suit a model on this machine, and remember it',
    )
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
  const count = readValue(integerSetting(LEAST_ROUNDS, 100), rounds ?? DEFAULT_ROUNDS, '--rounds');
  const config = readCommandConfig(options);
  const [{ readLocalModels, unknownModel }, { describeMachine }] = await Promise.all([
    import('../local-models.ts'),
    import('../../serve/tune/machine.ts'),
  ]);
  const catalogue = await readLocalModels(config.models);
  const source = catalogue.sourceOf(model);
  if (!source)
    throw unknownModel(
      model,
      catalogue.list().map(({ id }) => id),
    );
  if (source.kind !== 'chat') throw new Error(`the model '${model}' writes no text: there is nothing to tune`);

  const { backend, settings, gain } = await findTuning(workbenchFor(config, model), count);
  const tuning: Tuning = {
    model,
    fingerprint: fingerprintOf(source.files),
    machine: describeMachine(),
    backend,
    date: new Date().toISOString().slice(0, 10),
    settings,
    gain: Math.round(gain * 100) / 100,
  };
  // A trial takes minutes, so the result is printed before an attempt to store it may fail.
  if (json) printJson(tuning);
  else print(`${model} on ${backend}: ${sayTuning(tuning)}`);
  await keepTuning(tuningsFile(), tuning);
}

function workbenchFor(config: Config, model: string): Workbench {
  const plan = { model, promptTokens: PROMPT_TOKENS, replyTokens: REPLY_TOKENS, rounds: 1 };
  return {
    async warmUp() {
      await using reached = await startServer(config);
      await createPrompts(reached.client, plan);
      return await engineOf(reached.client, model);
    },
    async measure(settings, streams): Promise<Trial> {
      if (process.stderr.isTTY) note(`${describeSettings(settings)} ...`);
      await using reached = await startServer({ ...config, ...settings });
      const nextPrompt = await createPrompts(reached.client, plan);
      const { firstTokenMs } = await measure(reached.client, plan, 1, nextPrompt);
      const { togetherPerSecond } = await measure(reached.client, plan, streams, nextPrompt);
      if (firstTokenMs === null) throw new Error(`the model '${model}' wrote nothing to measure`);
      return { togetherPerSecond, firstTokenMs };
    },
  };
}

/** Starts a server with the default settings and without a prompt store: each trial has prompts of its own. */
function startServer(config: Config): Promise<ReachedServer> {
  const own = { ...config, noCache: true };
  return reachServer({ url: undefined, key: undefined, own: true, config: own, tunings: [] });
}
