import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { Command } from 'commander';
import * as v from 'valibot';
import { FAMILIES } from '../../../src/api/api.ts';
import { parseSource } from '../../../src/catalogue/pull/source.ts';
import { invalidApiKey } from '../../../src/contract/errors.ts';
import { readConfigFile } from '../../../src/serve/config/file.ts';
import { SETTINGS, type Setting } from '../../../src/serve/config/settings.ts';
import { paddockHome } from '../../../src/serve/home.ts';
import { MODEL } from './files.ts';

// Finds in a sentence what it states of Paddock, and compares it with Paddock itself.

const settings = Object.values(SETTINGS) as Setting<unknown>[];
const routes = FAMILIES.flatMap((family) => family.routes);
const packageJson = JSON.parse(readFileSync('package.json', 'utf8')) as {
  engines: { node: string };
  scripts: Record<string, string>;
};
/** npm's own commands, as far as answers name them. */
const NPM_COMMANDS = ['ci', 'install'];
const NUMBER_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const { parameterCount } = await gguf(MODEL, { allowLocalFile: true, computeParametersCount: true });

/** The command line's commands, as `src/cli/commands` registers them. */
export const commands = await readCommands();
const knownFlags = [
  '--help',
  ...settings.map(flagOf),
  ...commands.flatMap(({ options }) => options.map(({ long }) => long ?? '')),
];

type Check = (groups: (string | undefined)[], ports: number[]) => boolean;

/** How a statement looks, and whether it is true. The groups are those of the pattern. */
const CLAIMS: [pattern: RegExp, isTrue: Check][] = [
  [
    /\bhttps?:\/\/([\w.-]+):(\d+)(\/[\w/.-]*\w)?/,
    ([host, port, path], ports) =>
      host === SETTINGS.host.fallback({}) && ports.includes(Number(port)) && (path === undefined || isPath(path)),
  ],
  [/(~\/\.paddock[\w./-]*\w)/, ([path = '']) => homePaths().includes(resolve(path.replace('~', homedir())))],
  [/\b(GET|POST)(?: to)? (\/[\w./-]*\w)/, ([method, path = '']) => isPath(path, method)],
  [/(?<![\w.~/])(\/[a-z][\w./-]*\w)/, ([path = '']) => isPath(path)],
  [/\b(hf:\S*\w)/, ([source = '']) => doesNotThrow(() => parseSource(source, []))],
  [
    /(--[a-z][a-z-]*)(?: (\d[\d.]*\d|[a-z]+(?:, [a-z]+)* or [a-z]+))?/,
    ([flag = '', values]) => knownFlags.includes(flag) && takes(flag, values?.split(/, | or /) ?? []),
  ],
  [/\b(PADDOCK_[A-Z_]+)/, ([name]) => settings.some(({ env }) => env === name)],
  [/(?<![\w~/.])paddock ([a-z]+)/, ([name = '']) => commands.some((command) => command.name() === name)],
  [/\bnpm (?:run )?([a-z][\w:-]*)/, ([name = '']) => NPM_COMMANDS.includes(name) || name in packageJson.scripts],
  [/\bNode (\d+\.\d+) or newer/, ([version]) => packageJson.engines.node === `>=${version}`],
  [/\bport (\d+)/, ([port], ports) => ports.includes(Number(port))],
  [/\ba (\d{3})\b/, ([status]) => Number(status) === invalidApiKey('').data.status],
  [/\b(\w+) million parameters/, ([count = '']) => NUMBER_WORDS.indexOf(count) === Math.round(parameterCount / 1e6)],
  [/\b(\w+) megabytes/, ([count = '']) => NUMBER_WORDS.indexOf(count) === Math.round(statSync(MODEL).size / 1e6)],
];

/** Names in which digits are no figures. */
const NAMES = /\bQ\d_K_M\b/g;
const FIGURE = /\d[\d.,]*\d|\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million|billion)\b/gi;

/**
 * The flags, variables, paths, endpoints, commands, ports and figures in an answer that Paddock does not have, and
 * figures that nothing here knows how to check. `ports` are those that the answer may name.
 */
export function wrongClaims(answer: string, ports: number[] = [SETTINGS.port.fallback({})]): string[] {
  const wrong: string[] = [];
  let rest = answer.replace(NAMES, '');
  for (const [pattern, isTrue] of CLAIMS) {
    rest = rest.replace(new RegExp(pattern, 'g'), (claim: string, ...groups: unknown[]) => {
      const texts = groups.map((group) => (typeof group === 'string' ? group : undefined));
      if (!isTrue(texts, ports)) wrong.push(claim);
      return '';
    });
  }
  return [...wrong, ...(rest.match(FIGURE) ?? [])];
}

async function readCommands(): Promise<readonly Command[]> {
  const program = new Command();
  const folder = resolve('src/cli/commands');
  for (const file of readdirSync(folder)) {
    const module = (await import(join(folder, file))) as Record<string, unknown>;
    for (const [name, register] of Object.entries(module))
      if (name.startsWith('register')) (register as (program: Command) => void)(program);
  }
  return program.commands;
}

function flagOf({ flags }: Setting<unknown>): string {
  return flags.split(' ')[0] ?? '';
}

/** Whether a setting's flag accepts these values; a command's own flags are not asked. */
function takes(flag: string, values: string[]): boolean {
  const setting = settings.find((one) => flagOf(one) === flag);
  return !setting || values.every((value) => v.is(setting.schema, value));
}

/** A path of the API, or what stands before its paths in a client's base URL. */
function isPath(path: string, method?: string): boolean {
  return routes.some(
    (route) =>
      (route.path === path || route.path === `${path}/chat/completions`) && (!method || route.method === method),
  );
}

/** What lies in Paddock's home and is told of. */
function homePaths(): string[] {
  return [paddockHome({}), SETTINGS.models.fallback({}), configFile()];
}

/** The configuration file that is read where none is named: looked for in a home of its own. */
function configFile(): string {
  const home = mkdtempSync(join(tmpdir(), 'paddock-claims-'));
  try {
    for (const name of ['config.json', 'config.yaml', 'settings.json']) writeFileSync(join(home, name), '{}');
    const found = readConfigFile(undefined, { PADDOCK_HOME: home })?.path ?? home;
    return join(paddockHome({}), relative(home, found));
  } finally {
    rmSync(home, { recursive: true });
  }
}

function doesNotThrow(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}
