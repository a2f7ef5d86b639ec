import { Argument, type Command } from 'commander';
import { checkModelsFolder } from '../../serve/config/models-folder.ts';
import type { Config } from '../../serve/config/settings.ts';
import { Interrupted } from '../../serve/errors.ts';
import { downloadsFolder } from '../../serve/home.ts';
import { coloursFor, note, print, printJson } from '../../serve/output.ts';
import { addSettings, readCommandConfig } from '../config/command.ts';
import type { PullScreen } from '../pull-screen.ts';

/**
 * `paddock pull`: fetches a model into the models folder without a server. The command fails with the `ApiError` of the
 * pull, which tells the user what to do, and with `Interrupted` after Ctrl-C; the next pull of the source goes on from
 * there.
 */
export function registerPull(program: Command): void {
  const command = program
    .command('pull')
    .description('fetch a model; without a source, list models to begin with')
    .addArgument(sourceArgument())
    .option('--json', 'print the events as JSON, one per line; without a source, print the list as JSON')
    .addHelpText(
      'after',
      '\nAn interrupted pull continues where it stopped. HF_TOKEN gives access to private and gated repositories, ' +
        'HF_ENDPOINT names another hub than Hugging Face.',
    );
  addSettings(command, ['models', 'allowPrivateSources']).action((source: string | undefined, options) =>
    source === undefined ? listStarters(options) : pull(source, options),
  );
}

function sourceArgument(): Argument {
  return new Argument(
    '[source]',
    'qwen3:4b or another starter model, hf:org/repo[:quantization], hf:org/repo/file.gguf, or the URL of a GGUF file',
  );
}

/** Prints the starter models with their memory and speed on this machine. It asks no other machine. */
async function listStarters(options: Record<string, unknown>): Promise<void> {
  const config = readCommandConfig(options);
  const [{ estimateStarters }, { toStarterObject }, { measureMachine }, { createMemoryGauge }, table] =
    await Promise.all([
      import('../../api/models/starter-estimates.ts'),
      import('../../api/models/starters.ts'),
      import('../../serve/machine.ts'),
      import('../../pool/load/memory-gauge.ts'),
      import('../starters/table.ts'),
    ]);
  const memory = { available: createMemoryGauge()().available, held: 0 };
  const estimates = estimateStarters(await measureMachine(config), memory);
  if (options.json) return printJson(estimates.map(toStarterObject));
  print(table.formatStarters(estimates, coloursFor(process.stdout)));
  for (const line of table.explainStarters(estimates)) note(line);
}

async function pull(source: string, options: Record<string, unknown>): Promise<void> {
  const config = readCommandConfig(options);
  checkModelsFolder(config.models);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  const [puller, { openPullScreen }] = await Promise.all([openPuller(config), import('../pull-screen.ts')]);
  const screen: PullScreen = options.json
    ? { show: (event) => print(JSON.stringify(event)), close: () => {} }
    : openPullScreen(process.stdout);
  try {
    for await (const event of puller.pull(source, stop.signal)) screen.show(event);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    screen.close();
  }
  if (stop.signal.aborted) throw new Interrupted('stopped; the same pull goes on from here next time');
}

async function openPuller({ models, allowPrivateSources }: Config) {
  const [{ createPuller }, { warnings }] = await Promise.all([
    import('../../catalogue/pull/node/puller.ts'),
    import('../local-models.ts'),
  ]);
  return createPuller({
    modelsFolder: models,
    downloadsFolder: downloadsFolder(),
    env: process.env,
    allowPrivate: allowPrivateSources,
    // This command shows no list of models, and a running server watches the folder itself.
    refresh: async () => {},
    log: warnings,
  });
}
