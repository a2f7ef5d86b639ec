import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { COMMAND_NAMES } from '../../../src/cli/chat/commands.ts';
import { startConversation } from '../../../src/cli/chat/conversation.ts';
import { runSession } from '../../../src/cli/chat/session.ts';
import { openTerminal } from '../../../src/cli/chat/terminal.ts';
import { createServerClient } from '../../../src/cli/client/client.ts';
import { plain } from '../../../src/serve/output.ts';
import { type RunningServer, startServer } from '../../kit/servers/server.ts';

const CTRL_C = '\u0003';
/** The prompt as readline writes it: at the beginning of the line, over earlier text, with the cursor after it. */
const PROMPT = '\u001b[1G\u001b[0J> \u001b[3G';

let server: RunningServer;
let folder: string;
beforeAll(async () => {
  server = await startServer(['--models', inject('modelsFolder'), '--backend', 'cpu', '--threads', '1'], {
    PADDOCK_LOG_LEVEL: 'silent',
  });
  folder = await mkdtemp(join(tmpdir(), 'paddock-chat-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** A conversation with the model that soon ends its turn. The test types and reads. */
function openChat({
  model = 'shelf/brief',
  url = server.url,
  system,
}: {
  model?: string;
  url?: string;
  system?: string;
} = {}) {
  const input = new PassThrough();
  const output = new PassThrough({ encoding: 'utf8' });
  let shown = '';
  let heard = () => {};
  output.on('data', (text: string) => {
    shown += text;
    heard();
  });
  const terminal = openTerminal({ input, output, interactive: true, completions: COMMAND_NAMES });
  const conversation = startConversation(model, system);
  const ended = runSession({
    client: createServerClient(url, undefined),
    conversation,
    terminal,
    colours: plain,
  }).finally(terminal.close);
  /** Waits until the text shown since the last call meets the condition. Returns that text. */
  const seen = async (wanted: (text: string) => boolean): Promise<string> => {
    while (!wanted(shown)) {
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
    }
    const text = shown;
    shown = '';
    return text;
  };
  return {
    conversation,
    ended,
    seen,
    type: (text: string) => void input.write(text),
    /** Types a line and waits for the next prompt. */
    async say(line: string): Promise<string> {
      input.write(`${line}\r`);
      return seen((text) => text.endsWith(PROMPT));
    },
    end: () => input.end(),
  };
}

let chat: ReturnType<typeof openChat>;
const open = async (options?: Parameters<typeof openChat>[0]) => {
  chat = openChat(options);
  await chat.seen((text) => text.endsWith(PROMPT));
};
afterEach(async () => {
  chat.end();
  await chat.ended;
});

describe('a conversation on a terminal', () => {
  beforeEach(() => open({ system: 'Be brief.' }));

  it('streams the reply and keeps the question and the answer', async () => {
    const shown = await chat.say('Hello');
    const [question, answer] = chat.conversation.turns;
    expect(question).toEqual({ role: 'user', content: 'Hello' });
    expect(answer?.role).toBe('assistant');
    expect(shown).toContain(answer?.content.trim().split('\n')[0]);
  });

  it('continues the message after a backslash at the end of a line', async () => {
    chat.type('one\\\r');
    await chat.seen((text) => text.includes('. '));
    await chat.say('two');
    expect(chat.conversation.turns[0]?.content).toBe('one\ntwo');
  });

  it('asks again with /retry and replaces the last answer', async () => {
    expect(await chat.say('/retry')).toContain('nothing was asked yet');
    await chat.say('/set seed 1');
    await chat.say('Hello');
    const [, first] = chat.conversation.turns;
    await chat.say('/retry');
    expect(chat.conversation.turns).toHaveLength(2);
    expect(chat.conversation.turns[1]).toEqual(first);
  });

  it('forgets the turns with /clear', async () => {
    await chat.say('Hello');
    await chat.say('/clear');
    expect(chat.conversation.turns).toEqual([]);
    expect(chat.conversation.system).toBe('Be brief.');
  });

  it('sets parameters by name, within their limits', async () => {
    expect(await chat.say('/set max_tokens 3')).toContain('max_tokens 3');
    expect(await chat.say('Hello')).toContain('(cut:');
    expect(await chat.say('/stats')).toMatch(/prompt tokens, 3 of reply at [\d.]+ tokens\/s, the first after \d+ ms/);
    expect(await chat.say('/set temperature 3')).toContain('temperature must be a number between 0 and 2');
    expect(await chat.say('/set warmth 1')).toContain("there is no parameter 'warmth'; there are temperature,");
    expect(await chat.say('/set max_tokens')).toContain("the model's own");
  });

  it('shows, sets and removes the system message', async () => {
    expect(await chat.say('/system')).toContain('Be brief.');
    await chat.say('/system Be long.');
    expect(chat.conversation.system).toBe('Be long.');
    await chat.say('/system -');
    expect(chat.conversation.system).toBeUndefined();
  });

  it('lists the models and switches to another', async () => {
    expect(await chat.say('/model')).toContain('* shelf/brief');
    expect(await chat.say('/model none')).toContain("there is no model 'none'");
    await chat.say('/model tiny');
    expect(chat.conversation.model).toBe('tiny');
  });

  it('saves the conversation to a new file, but not over an existing one', async () => {
    await chat.say('Hello');
    const path = join(folder, 'talk.json');
    expect(await chat.say(`/save ${path}`)).toContain(`Saved to ${path}`);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      model: 'shelf/brief',
      messages: [{ role: 'system', content: 'Be brief.' }, ...chat.conversation.turns],
    });
    expect(await chat.say(`/save ${path}`)).toContain('exists already');
    expect(await chat.say('/save')).toContain('needs the name of a file');
  });

  it('lists its commands with /help', async () => {
    const shown = await chat.say('/help');
    for (const name of COMMAND_NAMES) expect(shown).toContain(name);
    expect(await chat.say('/hlep')).toContain('there is no command /hlep');
  });

  it.each([
    ['/exit', '/exit\r'],
    ['Ctrl-D', '\u0004'],
    ['Ctrl-C at the prompt', CTRL_C],
  ])('ends with %s', async (_, keys) => {
    chat.type(keys);
    await chat.ended;
  });

  it('ends when the input ends', async () => {
    chat.end();
    await chat.ended;
  });
});

describe('a reply that does not end normally', () => {
  it('is stopped by Ctrl-C; its text so far is kept, and so is the text typed meanwhile', async () => {
    await open({ model: 'tiny' });
    chat.type('Hello\r');
    await chat.seen((text) => (text.split('Hello\r\n')[1] ?? '') !== '');
    chat.type('next');
    chat.type(CTRL_C);
    await chat.seen((text) => text.includes('(stopped)') && text.includes('> next'));
    expect(chat.conversation.turns.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('is shown as an error in words, and the conversation continues', async () => {
    await open();
    expect(await chat.say('word '.repeat(1200))).toMatch(/context/);
    expect(chat.conversation.turns).toEqual([]);
    await chat.say('Hello');
    expect(chat.conversation.turns).toHaveLength(2);
  });

  it('says so if the server is gone', async () => {
    await open({ url: 'http://127.0.0.1:1' });
    expect(await chat.say('Hello')).toContain('no server answers at http://127.0.0.1:1');
  });
});
