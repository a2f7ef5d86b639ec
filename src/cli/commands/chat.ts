import { text as readAll } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { Interrupted, UsageError } from '../../serve/errors.ts';
import { coloursFor, note } from '../../serve/output.ts';
import { startConversation, type TerminalConversation, toBody } from '../chat/conversation.ts';
import type { ServerClient } from '../client/client.ts';
import { reachServer } from '../client/reach.ts';
import { streamReplyToScreen } from '../client/reply.ts';
import { findOrPull } from '../starters/find-or-pull.ts';
import { addClientOptions, wantedServer } from './client-options.ts';

const MODEL_HELP = 'its id, or a name to pull it by: qwen3:4b, hf:org/repo';

/**
 * `paddock chat`: a conversation on a terminal, or one answer if a message is given or the input is no terminal. The
 * command fails with a `UsageError` for an empty message, and with `Interrupted` if Ctrl-C ends the one answer.
 */
export function registerChat(program: Command): void {
  const command = program
    .command('chat')
    .description('talk to a model on a terminal, or answer one question from the standard input')
    .argument('[model]', `${MODEL_HELP} (default: the first that is loaded, else the first that can chat)`)
    .argument('[message]', 'ask only this, print the answer and exit');
  addChatOptions(command).action((model: string | undefined, message: string | undefined, options) => {
    // A single argument with spaces can't be a model's name: it is the message.
    const isMessage = message === undefined && model !== undefined && /\s/.test(model.trim());
    return isMessage ? chat(undefined, model, options) : chat(model, message, options);
  });
}

/** `paddock run`, which users of Ollama type: a chat with a model that must be named. */
export function registerRun(program: Command): void {
  const command = program
    .command('run')
    .description('chat with this model, and pull it first if it is not here')
    .argument('<model>', MODEL_HELP)
    .argument('[message]', 'ask only this, print the answer and exit');
  addChatOptions(command).action(chat);
}

function addChatOptions(command: Command): Command {
  command
    .addOption(new Option('--system <text>', 'the system message'))
    .addOption(new Option('-y, --yes', 'pull a model that is not here without asking'));
  return addClientOptions(command);
}

async function chat(
  model: string | undefined,
  message: string | undefined,
  options: Record<string, unknown>,
): Promise<void> {
  const wanted = wantedServer(options);
  const interactive = message === undefined && process.stdin.isTTY === true;
  const question = message ?? (interactive ? '' : (await readAll(process.stdin)).trim());
  if (!interactive && question === '') throw new UsageError('there is nothing to say: the message is empty');

  await using reached = await reachServer(wanted);
  const { client } = reached;
  const { id, loaded } = await findOrPull(client, model, options.yes === true);
  const conversation = startConversation(id, options.system as string | undefined);
  if (!interactive) return await answerOnce(client, conversation, question);

  const { openTerminal } = await import('../chat/terminal.ts');
  const { COMMAND_NAMES } = await import('../chat/commands.ts');
  const { runSession } = await import('../chat/session.ts');
  const colours = coloursFor(process.stdout);
  const terminal = openTerminal({
    input: process.stdin,
    output: process.stdout,
    interactive: process.stdout.isTTY === true,
    completions: COMMAND_NAMES,
  });
  const where = reached.own ? 'on a server of its own' : `on ${client.url}`;
  const patience = loaded ? '' : '; it is not loaded yet, so the first reply takes longer';
  terminal.write(
    `${colours.bold(id)} ${colours.dim(`${where}${patience}. /help lists the commands, Ctrl-D leaves.`)}\n`,
  );
  try {
    await runSession({ client, conversation, terminal, colours });
  } finally {
    terminal.close();
  }
}

/** Prints the answer to one question. Reasoning is shown only on a terminal. */
async function answerOnce(client: ServerClient, conversation: TerminalConversation, question: string): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const screen = {
    write: (text: string) => process.stdout.write(text),
    colours: coloursFor(process.stdout),
    showReasoning: process.stdout.isTTY === true,
  };
  const { reason } = await streamReplyToScreen(client, toBody(conversation, question), screen, stop.signal);
  process.stdout.write('\n');
  if (stop.signal.aborted) throw new Interrupted('stopped');
  if (reason === 'length') note('paddock: the reply was cut at the end of the context window');
}
