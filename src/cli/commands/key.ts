import type { Command } from 'commander';
import { integerSetting, readValue } from '../../serve/config/values.ts';
import { UsageError } from '../../serve/errors.ts';
import { defaultKeysFile } from '../../serve/home.ts';
import {
  BOUNDS,
  checkName,
  hashOf,
  type NumberField,
  newKeyText,
  readKeysIfAny,
  type StoredKey,
  writeKeysFile,
} from '../../serve/keys/keys-file.ts';
import { coloursFor, formatTable, note, print, printJson } from '../../serve/output.ts';
import { addSettings, readCommandConfig } from '../config/command.ts';

/** The flags for the limits of a key, by the fields of the file of keys. */
const NUMBERS: Record<NumberField, { flag: string; what: string }> = {
  requestsPerMinute: { flag: '--requests-per-minute', what: 'requests a minute' },
  tokensPerMinute: { flag: '--tokens-per-minute', what: 'tokens a minute, of prompts and replies' },
  concurrency: { flag: '--concurrency', what: 'requests under way at once, those that wait included' },
  priority: { flag: '--priority', what: 'free slots go to a higher priority first; by default 0' },
};

/**
 * `paddock key add`, `list` and `remove`: change the file of keys, which a running server reads again within a second.
 * They fail with a `UsageError` for a name that is taken or not there, a limit out of range, and a damaged file.
 */
export function registerKey(program: Command): void {
  const group = program.command('key').description('manage the file of API keys with limits');
  const add = group
    .command('add')
    .description('make a key and print it, this once: the file has its hash alone')
    .argument('<name>', 'what log lines and metrics call it')
    .option(
      '--model <id>',
      'a model that it may use; repeatable; by default all',
      (id, ids: string[]) => [...ids, id],
      [],
    )
    .option('--manage', 'it may also load, unload, pull and remove models and read the metrics')
    .option('--json', 'print the key and its settings as JSON');
  for (const { flag, what } of Object.values(NUMBERS)) add.option(`${flag} <n>`, what);
  addSettings(add, ['keys']).action(addKey);
  const list = group.command('list').description('list the keys').option('--json', 'print them as JSON');
  addSettings(list, ['keys']).action(listKeys);
  const remove = group.command('remove').description('remove a key').argument('<name>', 'its name');
  addSettings(remove, ['keys']).action(removeKey);
}

async function addKey(name: string, options: Record<string, unknown>): Promise<void> {
  checkName(name);
  const path = keysFileFor(options);
  const keys = readKeysIfAny(path);
  if (keys.some((key) => key.name === name)) throw new UsageError(`there is a key named ${name} already`);
  const text = newKeyText();
  const models = options.model as string[];
  const added: StoredKey = {
    name,
    sha256: hashOf(text),
    created: new Date().toISOString(),
    ...(models.length > 0 && { models }),
    ...(options.manage === true && { manages: true }),
    ...readNumbers(options),
  };
  await writeKeysFile(path, [...keys, added]);
  const { sha256: _, ...shown } = added;
  if (options.json) {
    printJson({ key: text, ...shown });
    return;
  }
  print(text);
  note(`This is the key of ${name}. It can not be shown again. A server that uses ${path} takes it within a second.`);
  if (keys.length === 0)
    note('A server that was started without that file has to be started again: from then on it asks for keys.');
}

/** Returns the path of the file of keys that `serve` would read. The file may not exist yet. */
function keysFileFor(options: Record<string, unknown>): string {
  return readCommandConfig(options).keys ?? defaultKeysFile();
}

function readNumbers(options: Record<string, unknown>): Partial<Record<NumberField, number>> {
  const given = (Object.keys(NUMBERS) as NumberField[]).filter((field) => options[field] !== undefined);
  return Object.fromEntries(
    given.map((field) => [field, readValue(integerSetting(...BOUNDS[field]), options[field], NUMBERS[field].flag)]),
  );
}

function listKeys(options: Record<string, unknown>): void {
  const path = keysFileFor(options);
  const keys = readKeysIfAny(path);
  if (options.json) printJson(keys.map(({ sha256: _, ...shown }) => shown));
  else if (keys.length === 0) note(`There are no keys in ${path}.`);
  else print(tableOf(keys));
}

function tableOf(keys: StoredKey[]): string {
  const head = ['name', 'models', 'may manage', 'requests/min', 'tokens/min', 'at once', 'priority', 'made'];
  const rows = keys.map((key) => [
    key.name,
    key.models?.join(', ') ?? 'all',
    key.manages ? 'yes' : 'no',
    ...[key.requestsPerMinute, key.tokensPerMinute, key.concurrency].map((limit) => String(limit ?? '-')),
    String(key.priority ?? 0),
    key.created.slice(0, 10),
  ]);
  return formatTable([head, ...rows], { right: [3, 4, 5, 6], colours: coloursFor(process.stdout) });
}

async function removeKey(name: string, options: Record<string, unknown>): Promise<void> {
  const path = keysFileFor(options);
  const keys = readKeysIfAny(path);
  const others = keys.filter((key) => key.name !== name);
  if (others.length === keys.length) throw new UsageError(`there is no key named ${name} in ${path}`);
  await writeKeysFile(path, others);
  print(`Removed the key of ${name}. A server that uses the file refuses it within a second.`);
}
