import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { formatBytes } from '../../core/bytes.ts';
import { addSettings, readConfig } from '../config/command.ts';
import { Interrupted, UsageError } from '../errors.ts';
import { counted, note, print, printJson } from '../output.ts';

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
  const { models: folder } = readConfig(options);
  const { readLocalModels, unknownModel } = await import('../local-models.ts');
  const { isBuiltIn } = await import('../../catalogue/node/built-in.ts');
  const { otherSources, planRemoval, removeModel } = await import('../../catalogue/node/remove.ts');
  const catalogue = await readLocalModels(folder);
  const source = catalogue.sourceOf(id);
  if (!source) {
    const ids = catalogue.list().map((model) => model.id);
    throw unknownModel(id, ids);
  }
  if (isBuiltIn(source)) throw new Error(`${id} comes with Paddock and can't be removed`);

  const removal = await planRemoval(folder, source, otherSources(catalogue, id));
  if (!options.yes) await confirm(id, removal.files, removal.bytes);
  await removeModel(folder, removal);
  if (options.json) return printJson({ id, files: removal.files, bytes: removal.bytes });
  print(`Removed ${id}: ${counted(removal.files.length, 'file')}, ${formatBytes(removal.bytes)} freed.`);
}

const UNTOUCHED = 'nothing was removed';

/** Asks the user. Throws if there is no terminal or the answer is not yes. */
async function confirm(id: string, files: string[], bytes: number): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError('there is no terminal to ask on: give --yes to remove without asking');
  note(`${id} consists of ${formatBytes(bytes)} in\n${files.map((file) => `  ${file}`).join('\n')}`);
  const readline = createInterface({ input: process.stdin, output: process.stderr });
  const stopped = new AbortController();
  readline.on('SIGINT', () => stopped.abort()).on('close', () => stopped.abort());
  const answer = await readline.question('Remove it? [y/N] ', { signal: stopped.signal }).catch(() => '');
  const interrupted = stopped.signal.aborted;
  readline.close();
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw interrupted ? new Interrupted(UNTOUCHED) : new Error(UNTOUCHED);
}
