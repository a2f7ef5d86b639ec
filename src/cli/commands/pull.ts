import type { Command } from 'commander';
import { checkModelsFolder } from '../../serve/config/models-folder.ts';
import { Interrupted } from '../../serve/errors.ts';
import { downloadsFolder } from '../../serve/home.ts';
import { print } from '../../serve/output.ts';
import { addSettings, readCommandConfig } from '../config/command.ts';
import type { PullScreen } from '../pull-screen.ts';

export function registerPull(program: Command): void {
  const command = program
    .command('pull')
    .description('fetch a model')
    .argument('<source>', 'hf:org/repo[:quantization], hf:org/repo/file.gguf, or the URL of a GGUF file')
    .option('--json', 'print the events as JSON, one per line')
    .addHelpText(
      'after',
      '\nAn interrupted pull continues where it stopped. HF_TOKEN gives access to private and gated repositories, ' +
        'HF_ENDPOINT names another hub than Hugging Face.',
    );
  addSettings(command, ['models', 'allowPrivateSources']).action(pull);
}

async function pull(source: string, options: Record<string, unknown>): Promise<void> {
  const { models, allowPrivateSources } = readCommandConfig(options);
  checkModelsFolder(models);
  const [{ createPuller }, { warnings }, { openPullScreen }] = await Promise.all([
    import('../../catalogue/pull/node/puller.ts'),
    import('../local-models.ts'),
    import('../pull-screen.ts'),
  ]);
  const puller = createPuller({
    modelsFolder: models,
    downloadsFolder: downloadsFolder(),
    env: process.env,
    allowPrivate: allowPrivateSources,
    // This command shows no list of models, and a running server watches the folder itself.
    refresh: async () => {},
    log: warnings,
  });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());

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
