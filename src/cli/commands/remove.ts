import type { Command } from 'commander';
import { counted, note, print, printJson } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { addSettings, readCommandConfig } from '../config/command.ts';
import { confirm } from '../confirm.ts';

/**
 * `paddock remove`: deletes the files that belong to this model alone. The command fails with an `Error` for an unknown
 * model, the built-in one and a model with files outside of the folder, and as `confirm` does without consent.
 */
export function registerRemove(program: Command): void {
  const command = program
    .command('remove')
    .description("remove a model's files from the models folder")
    .argument('<model>', 'its id')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print what was removed as JSON');
  addSettings(command, ['models']).action(remove);
}

async function remove(id: string, options: Record<string, unknown>): Promise<void> {
  const { models: folder } = readCommandConfig(options);
  const { readLocalModels, unknownModel } = await import('../local-models.ts');
  const { isBuiltIn } = await import('../../catalogue/node/built-in.ts');
  const { otherSources, planRemoval, removeModelFiles } = await import('../../catalogue/node/remove.ts');
  const catalogue = await readLocalModels(folder);
  const source = catalogue.sourceOf(id);
  if (!source) {
    const ids = catalogue.list().map((model) => model.id);
    throw unknownModel(id, ids);
  }
  if (isBuiltIn(source)) throw new Error(`${id} comes with Paddock and can't be removed`);

  const removal = await planRemoval(folder, source, otherSources(catalogue, id));
  if (!options.yes) {
    note(`${id} consists of ${formatBytes(removal.bytes)} in\n${removal.files.map((file) => `  ${file}`).join('\n')}`);
    await confirm('Remove it?', 'nothing was removed');
  }
  await removeModelFiles(folder, removal);
  if (options.json) return printJson({ id, files: removal.files, bytes: removal.bytes });
  print(`Removed ${id}: ${counted(removal.files.length, 'file')}, ${formatBytes(removal.bytes)} freed.`);
}
