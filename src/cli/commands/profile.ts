import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { ggufStemOf } from '../../catalogue/model-files.ts';
import type { FileCatalogue } from '../../catalogue/node/catalogue.ts';
import { findByName } from '../../contract/models/find-model.ts';
import type { ModelSource } from '../../engine/engine.ts';
import { readGivenFile, writeGivenFile } from '../../serve/config/given-file.ts';
import { UsageError } from '../../serve/errors.ts';
import { note, print, printJson } from '../../serve/output.ts';
import { messageOf } from '../../utils/error-message.ts';
import { addSettings, readCommandConfig } from '../config/command.ts';

/**
 * `paddock profile`: takes over a Modelfile of Ollama, except what has no meaning here, which it names. The command
 * fails with a `UsageError` for a Modelfile of another model and a name that is taken, and with an `Error` for an
 * unknown model and the built-in one.
 */
export function registerProfile(program: Command): void {
  const command = program
    .command('profile')
    .description("write the system prompt and the parameters of an Ollama Modelfile into a model's model.json")
    .argument('<model>', 'its id')
    .argument('<modelfile>', 'the Modelfile')
    .option('--as <name>', 'as a profile, another name of the model; by default as defaults of the model itself')
    .option('--json', 'print what was written as JSON');
  addSettings(command, ['models']).action(profile);
}

async function profile(id: string, modelfile: string, options: Record<string, unknown>): Promise<void> {
  const { models: folder } = readCommandConfig(options);
  const { readLocalModels, unknownModel } = await import('../local-models.ts');
  const { isBuiltIn } = await import('../../catalogue/node/built-in.ts');
  const { readModelfile } = await import('../../catalogue/modelfile/defaults.ts');
  const { withDefaults } = await import('../../catalogue/modelfile/merge.ts');
  const name = typeof options.as === 'string' ? options.as : null;
  const catalogue = await readLocalModels(folder);
  const source = catalogue.sourceOf(id);
  if (!source) {
    const ids = catalogue.list().map((model) => model.id);
    throw unknownModel(id, ids);
  }
  if (isBuiltIn(source)) throw new Error(`${id} comes with Paddock, and its model.json can't be changed`);
  const defaults = readModelfile(readGivenFile(modelfile, modelfile), name !== null);
  checkFrom(defaults.from, id, source, catalogue);
  if (name !== null) checkName(name, id, catalogue);

  const file = jsonFileOf(source, catalogue);
  const existing = existsSync(file) ? readFileSync(file, 'utf8') : null;
  await writeGivenFile(
    file,
    withDefaultsIn(file, () => withDefaults(existing, defaults, name)),
  );
  const { settings, parameters, leftOut } = defaults;
  if (options.json) return printJson({ model: id, profile: name, file, settings, parameters, left_out: leftOut });
  const what = [...Object.keys(settings), ...Object.keys(parameters)].join(', ') || 'nothing';
  print(`Wrote ${what} into ${file}, as ${name === null ? `defaults of ${id}` : `the profile ${name} of ${id}`}.`);
  if (leftOut.length > 0) note(`Left out: ${leftOut.join(', ')}.`);
}

/** Throws a `UsageError` if the Modelfile is for another model. */
function checkFrom(
  from: { name: string; line: number } | null,
  id: string,
  { files }: ModelSource,
  catalogue: FileCatalogue,
): void {
  if (from === null || findByName(catalogue, from.name)?.id === id) return;
  if (files.some((file) => basename(file) === basename(from.name))) return;
  throw new UsageError(
    `line ${from.line} of the Modelfile is FROM ${from.name}, and ${id} is another model: take the line out if the rest is meant for ${id}`,
  );
}

/** Throws a `UsageError` if the name of a profile is that of a model, which would come before it. */
function checkName(name: string, id: string, catalogue: FileCatalogue): void {
  const taken = catalogue.find(name) ?? catalogue.list().find(({ aliases }) => aliases?.includes(name));
  if (taken) throw new UsageError(`${name} is a name of the model ${taken.id} already`);
  const other = findByName(catalogue, name);
  if (other && other.id !== id) throw new UsageError(`${name} is a name of the model ${other.id} already`);
}

function withDefaultsIn(file: string, make: () => string): string {
  try {
    return make();
  } catch (error) {
    throw new Error(`${file} would not be valid: ${messageOf(error)}`);
  }
}

/**
 * Returns the path of a model's model.json, as the catalogue finds it: `<stem>.model.json`, or `model.json` if there is one and the folder
 * holds no other model.
 */
function jsonFileOf({ files }: ModelSource, catalogue: FileCatalogue): string {
  const [first = ''] = files;
  const folder = dirname(first);
  const own = join(folder, `${ggufStemOf(basename(first))}.model.json`);
  const shared = join(folder, 'model.json');
  const others = catalogue
    .list()
    .flatMap((model) => catalogue.sourceOf(model.id)?.files ?? [])
    .filter((file) => dirname(file) === folder && !files.includes(file));
  return !existsSync(own) && existsSync(shared) && others.length === 0 ? shared : own;
}
