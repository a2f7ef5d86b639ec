import type { Colours } from '../../serve/output.ts';
import { messageOf } from '../../utils/error-message.ts';
import type { ServerClient } from '../client/client.ts';
import { type ReplyMeasurements, type StreamedReply, streamReplyToScreen } from '../client/reply.ts';
import { runCommand } from './commands.ts';
import { addAnswer, type TerminalConversation, toBody } from './conversation.ts';
import type { Terminal } from './terminal.ts';

export interface SessionOptions {
  client: ServerClient;
  conversation: TerminalConversation;
  terminal: Terminal;
  colours: Colours;
}

const PROMPT = '> ';
const CONTINUED = '. ';

/** Runs a conversation until the user leaves it. After an error, the conversation continues. */
export async function runSession({ client, conversation, terminal, colours }: SessionOptions): Promise<void> {
  let lastStats: ReplyMeasurements | undefined;
  const say = (text: string) => terminal.write(`${text}\n`);

  const ask = async (question: string) => {
    conversation.last = { question, answered: false };
    const reply = await terminal.interruptible((signal) =>
      streamReplyToScreen(
        client,
        toBody(conversation, question),
        { write: terminal.write, colours, showReasoning: true },
        signal,
      ).finally(() => terminal.write('\n')),
    );
    lastStats = reply.stats;
    if (reply.text !== '') {
      addAnswer(conversation, question, reply.text);
      conversation.last.answered = true;
    }
    const remark = remarkOn(reply);
    if (remark) say(colours.dim(remark));
  };

  for (;;) {
    const line = await readMessage(terminal, colours);
    if (line === null) return say('');
    if (line === '') continue;
    try {
      if (!line.startsWith('/')) await ask(line);
      else if ((await runCommand({ client, conversation, lastStats, say, ask }, line)) === 'leave') return;
    } catch (error) {
      say(colours.red(messageOf(error)));
    }
  }
}

/** Reads a message. As long as a line ends in a backslash, the next line belongs to it. */
async function readMessage(terminal: Terminal, { bold }: Colours): Promise<string | null> {
  let line = await terminal.readLine(bold(PROMPT));
  while (line?.endsWith('\\')) {
    const next = await terminal.readLine(bold(CONTINUED));
    line = next === null ? null : `${line.slice(0, -1)}\n${next}`;
  }
  return line === null ? null : line.trim();
}

/** Returns a remark if the reply did not end normally. */
function remarkOn({ reason, text }: StreamedReply): string | undefined {
  switch (reason) {
    case undefined:
      return '(stopped)';
    case 'length':
      return '(cut: the reply reached max_tokens or the end of the context window)';
    case 'content_filter':
      return '(ended by the content filter)';
    default:
      return text === '' ? '(the model said nothing)' : undefined;
  }
}
