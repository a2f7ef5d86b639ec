import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { withKeysOfFile } from '../../serve/config/key-file.ts';
import { UsageError } from '../../serve/errors.ts';
import { note, print, printJson } from '../../serve/output.ts';
import { chooseModel } from '../client/choose-model.ts';
import { createServerClient } from '../client/client.ts';
import { isPaddock, localUrl, type WantedServer } from '../client/reach.ts';
import { addSettings } from '../config/command.ts';
import { confirm } from '../confirm.ts';
import { PROGRAMS } from '../connect/programs.ts';
import { formatSettingsFile, mergedText, readSettings, writeSettings } from '../connect/settings-file.ts';
import type { Facts, SettingsFile, Setup } from '../connect/setup.ts';
import { agentWarnings } from '../connect/warnings.ts';
import { addUrlOptions, wantedServer } from './client-options.ts';

/**
 * `paddock connect`: prints or writes the settings of another program for the server that runs. The command fails with
 * a `UsageError` for a program that is not known, and with an `Error` if no server runs or if the settings have to be
 * added by hand.
 */
export function registerConnect(program: Command): void {
  const names = Object.keys(PROGRAMS).join(', ');
  const command = program
    .command('connect')
    .description('tell what another program needs to use the server that runs')
    .argument('<program>', names)
    .argument('[model]', 'the model; by default one that can chat')
    .option('--write', "write the program's settings file, after asking")
    .option('-y, --yes', 'with --write: do not ask')
    .option('--json', 'print it as JSON');
  addSettings(addUrlOptions(command), ['host', 'port']).action(connect);
}

async function connect(name: string, model: string | undefined, options: Record<string, unknown>): Promise<void> {
  const program = PROGRAMS[name];
  if (!program) throw new UsageError(`${name} is not known; there are ${Object.keys(PROGRAMS).join(', ')}`);
  const { url, key } = await runningServer(wantedServer(options));
  const { id, context_length: contextLength, capabilities, meta } = await modelOf(url, key, model);
  const facts: Facts = { url, key: key ?? null, model: id, contextLength };
  const setup = program.setup(facts);
  const agent = { model: id, contextLength, trainedContextLength: meta.n_ctx_train, tools: capabilities.tools };
  const warnings = program.agent ? agentWarnings(agent) : [];
  if (options.json) printJson({ program: name, ...facts, ...setup, warnings });
  else if (!options.write || !setup.file) print(describe(program.title, setup));
  for (const warning of warnings) note(`! ${warning}`);
  if (options.write) await write(setup, options.yes === true);
}

/**
 * Returns the URL and the key of the server that the options describe. Throws if it does not run: the written settings
 * would be useless.
 */
async function runningServer({ url, key, config }: WantedServer): Promise<{ url: string; key: string | undefined }> {
  if (url !== undefined) return { url: url.replace(/\/+(v1\/*)?$/, ''), key };
  const local = localUrl(config);
  if (!(await isPaddock(local))) throw new Error(`no Paddock answers at ${local}: start one with paddock serve`);
  return { url: local, key: key ?? withKeysOfFile(config).apiKey[0] };
}

async function modelOf(url: string, key: string | undefined, wanted: string | undefined) {
  return chooseModel(await createServerClient(url, key).models(), wanted);
}

function describe(title: string, { variables, file, steps = [] }: Setup): string {
  const parts = [`# ${title}`];
  if (variables) parts.push(exportsOf(variables));
  if (file) parts.push(`# ${join('~', file.path)}\n${formatSettingsFile(file.content).trimEnd()}`);
  if (steps.length > 0) parts.push(steps.join('\n'));
  return parts.join('\n\n');
}

function exportsOf(variables: Record<string, string>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`)
    .join('\n');
}

/**
 * Writes the settings file and prints the steps that are left to the user. Throws if the settings have to be added by
 * hand.
 */
async function write({ file, variables }: Setup, yes: boolean): Promise<void> {
  if (!file) throw new UsageError('it has no settings file: set what is printed above by hand');
  const path = join(homedir(), file.path);
  const existing = await readSettings(path);
  const text = mergedText(existing, file.content);
  if (text === null) throw new Error(byHand(path, file));
  if (text === existing) return print(`${path} has these settings already.`);
  if (!yes) {
    note(`${existing === null ? 'New file' : 'New text of'} ${path}:\n${text.trimEnd()}`);
    await confirm('Write it?', 'nothing was written');
  }
  await writeSettings(path, text);
  print(`Written: ${path}`);
  if (variables) print(`Set these too:\n${exportsOf(variables)}`);
}

function byHand(path: string, { content }: SettingsFile): string {
  return `${path} is there already and can't be merged: add this to it\n${formatSettingsFile(content).trimEnd()}`;
}
