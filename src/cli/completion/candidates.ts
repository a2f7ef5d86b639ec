import type { Command, Option } from 'commander';
import { STARTERS } from '../../contract/models/starters.ts';
import { BACKENDS } from '../../serve/config/values.ts';
import { PROGRAMS } from '../connect/programs.ts';
import { SHELLS } from './scripts.ts';

/** Values of flags, by the flags' names. Other flags take numbers, texts or files. */
const FLAG_VALUES: Record<string, readonly string[]> = {
  '--backend': BACKENDS,
  '--log-level': ['debug', 'info', 'warn', 'error', 'silent'],
  '--log-format': ['auto', 'json', 'pretty'],
  '--local-pages': ['none', 'inference', 'all'],
};

/** Commands whose model may be pulled first. */
const PULLING = ['chat', 'run'];

/**
 * Returns what may stand at the end of a command line, the last word of which is unfinished. `models` reads the ids of
 * this machine's models.
 */
export async function candidatesFor(
  program: Command,
  line: string,
  models: () => Promise<string[]>,
): Promise<string[]> {
  const [, ...words] = line.split(/\s+/);
  const current = words.pop() ?? '';
  const { command, rest } = commandOf(program, words);
  const all = await candidates(command, rest, current, models);
  return all.filter((candidate) => candidate.startsWith(current));
}

/** Finds the command that the words name, and the words after its name. */
function commandOf(program: Command, words: string[]): { command: Command; rest: string[] } {
  let command = program;
  for (const [place, word] of words.entries()) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) return { command, rest: words.slice(place) };
    command = next;
  }
  return { command, rest: [] };
}

async function candidates(
  command: Command,
  rest: string[],
  current: string,
  models: () => Promise<string[]>,
): Promise<string[]> {
  const before = rest.at(-1);
  const flag = command.options.find(({ long, short }) => before !== undefined && [long, short].includes(before));
  if (flag && takesValue(flag)) return [...(FLAG_VALUES[flag.long ?? ''] ?? [])];
  if (current.startsWith('-')) {
    const flags = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
    return [...flags, '--help'];
  }
  const commands = visibleCommands(command);
  if (commands.length > 0) return rest.length === 0 ? commands : [];
  const argument = command.registeredArguments[positionals(command, rest).length]?.name();
  switch (argument) {
    case 'model':
      return [...(await models()), ...(PULLING.includes(command.name()) ? starterNames() : [])];
    case 'source':
      return starterNames();
    case 'program':
      return Object.keys(PROGRAMS);
    case 'shell':
      return [...SHELLS];
    default:
      return [];
  }
}

function visibleCommands(command: Command): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name());
}

function starterNames(): string[] {
  return STARTERS.map(({ name }) => name);
}

/** Returns the words that are no flags and no values of flags. */
function positionals(command: Command, words: string[]): string[] {
  return words.filter((word, place) => {
    if (word.startsWith('-')) return false;
    const flag = command.options.find(({ long, short }) => [long, short].includes(words[place - 1]));
    return !flag || !takesValue(flag);
  });
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}
