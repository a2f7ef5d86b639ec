import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatFacts } from '../../serve/output.ts';
import type { ServerClient } from '../client/client.ts';
import { formatMeasurements, type ReplyMeasurements } from '../client/reply.ts';
import { allTurns, clear, setParameter, type TerminalConversation, takeBack } from './conversation.ts';

/** The parts of a chat that a command can use. */
export interface CommandContext {
  client: ServerClient;
  conversation: TerminalConversation;
  lastStats: ReplyMeasurements | undefined;
  say: (text: string) => void;
  ask: (question: string) => Promise<void>;
}

interface ChatCommand {
  name: string;
  argument?: string;
  help: string;
  /** Throws an `Error` with a message for users. Returns 'leave' to end the conversation. */
  run: (context: CommandContext, argument: string) => Promise<'leave' | undefined> | 'leave' | undefined;
}

const KEYS: [string, string][] = [
  ['Ctrl-C', 'stop a reply, or leave'],
  ['\\', 'at the end of a line: the message goes on in the next'],
];

const COMMANDS: ChatCommand[] = [
  {
    name: '/help',
    help: 'this list',
    run({ say }) {
      const facts = COMMANDS.map(({ name, argument = '', help }): [string, string] => [`${name} ${argument}`, help]);
      say(formatFacts([...facts, ...KEYS]));
      return undefined;
    },
  },
  { name: '/exit', help: 'leave (also Ctrl-D)', run: () => 'leave' },
  {
    name: '/clear',
    help: 'forget what was said; the system message stays',
    run({ conversation, say }) {
      clear(conversation);
      say('A new conversation.');
      return undefined;
    },
  },
  { name: '/model', argument: '[id]', help: 'speak to another model, or list them', run: switchModel },
  {
    name: '/system',
    argument: '[text]',
    help: 'set the system message; without a text, show it; - takes it away',
    run({ conversation, say }, text) {
      if (text !== '') conversation.system = text === '-' ? undefined : text;
      say(conversation.system === undefined ? 'No system message.' : `System message: ${conversation.system}`);
      return undefined;
    },
  },
  {
    name: '/set',
    argument: '[name [value]]',
    help: 'set a parameter, such as temperature 0.2; without a value, back to the default',
    run({ conversation, say }, argument) {
      const [name = '', value] = argument.split(/\s+/);
      if (name !== '') setParameter(conversation, name, value);
      const set = Object.entries(conversation.parameters).map(([key, is]) => `${key} ${is}`);
      say(set.length === 0 ? "All parameters are the model's own." : set.join(', '));
      return undefined;
    },
  },
  {
    name: '/save',
    argument: '<file>',
    help: 'write the conversation to a new file, as JSON if it ends in .json',
    run: save,
  },
  {
    name: '/retry',
    help: 'ask the last question again',
    async run({ conversation, ask }) {
      const question = takeBack(conversation);
      if (question === undefined) throw new Error('nothing was asked yet');
      await ask(question);
      return undefined;
    },
  },
  {
    name: '/stats',
    help: 'tokens and speed of the last reply',
    run({ lastStats, say }) {
      say(lastStats ? formatMeasurements(lastStats) : 'There is no reply yet.');
      return undefined;
    },
  },
];

export const COMMAND_NAMES = COMMANDS.map(({ name }) => name);

/** Runs a line that begins with a slash. Throws an `Error` with a message for users. */
export async function runCommand(context: CommandContext, line: string): Promise<'leave' | undefined> {
  const [name = ''] = line.split(/\s/, 1);
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) throw new Error(`there is no command ${name}; /help lists them`);
  return command.run(context, line.slice(name.length).trim());
}

async function switchModel({ client, conversation, say }: CommandContext, id: string): Promise<undefined> {
  const models = await client.models();
  if (id === '') {
    say(models.map((model) => `${model.id === conversation.model ? '*' : ' '} ${model.id}`).join('\n'));
    return;
  }
  if (!models.some((model) => model.id === id)) throw new Error(`there is no model '${id}'; /model lists them`);
  conversation.model = id;
  say(`Now speaking to ${id}.`);
}

async function save({ conversation, say }: CommandContext, file: string): Promise<undefined> {
  if (file === '') throw new Error('/save needs the name of a file');
  const turns = allTurns(conversation);
  const text = file.endsWith('.json')
    ? `${JSON.stringify({ model: conversation.model, messages: turns }, null, 2)}\n`
    : turns.map(({ role, content }) => `${role}:\n${content}\n\n`).join('');
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'EEXIST' ? `${file} exists already` : error.message);
  });
  say(`Saved to ${resolve(file)}.`);
}
