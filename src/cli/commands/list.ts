import type { Command } from 'commander';
import type { ListedModel } from '../../contract/models/model.ts';
import type { Config } from '../../serve/config/settings.ts';
import { coloursFor, formatCount, formatTable, note, print, printJson } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { createServerClient } from '../client/client.ts';
import { addSettings } from '../config/command.ts';
import { addUrlOptions, wantedServer } from './client-options.ts';

/**
 * `paddock list`: the models of the models folder, read without a server, or those of the server at `--url`. The
 * command fails with a `UsageError` if the folder can't be read.
 */
export function registerList(program: Command): void {
  const command = program
    .command('list')
    .description('list the models of this machine, or of a server')
    .option('--json', 'print the Model objects of the API');
  addSettings(addUrlOptions(command), ['models']).action(list);
}

async function list(options: Record<string, unknown>): Promise<void> {
  const { url, key, config } = wantedServer(options);
  const models = url === undefined ? await readModels(config) : await createServerClient(url, key).models();
  if (options.json) return printJson(models);
  if (models.length === 0) return note(`There are no models${url === undefined ? ` in ${config.models}` : ''}.`);
  const { purposeOf, quantizationOf } = await import('../model-words.ts');
  const head = [
    'id',
    'kind',
    'quantization',
    'parameters',
    'context',
    'size',
    ...(url === undefined ? [] : ['runs on']),
  ];
  const rows = models.map((model) => [
    model.id,
    model.alias_of === undefined ? purposeOf(model) : `alias of ${model.alias_of}`,
    quantizationOf(model),
    formatCount(model.meta.n_params),
    String(model.context_length),
    formatBytes(model.meta.size),
    ...(url === undefined ? [] : [model.backend ?? '']),
  ]);
  print(formatTable([head, ...rows], { right: [3, 4, 5], colours: coloursFor(process.stdout) }));
}

async function readModels({ models }: Config): Promise<ListedModel[]> {
  const [{ readLocalModels }, { toModel }] = await Promise.all([
    import('../local-models.ts'),
    import('../../api/models/model-object.ts'),
  ]);
  return (await readLocalModels(models)).list().map((card) => {
    const { sources: _, ...model } = toModel(card, undefined);
    return model;
  });
}
