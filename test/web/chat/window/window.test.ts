import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startChatServer } from '../grounds.ts';
import {
  ask,
  bubbles,
  chooseModel,
  exceptionsOf,
  messageField,
  openChat,
  reload,
  replies,
  say,
  textOf,
} from '../support.ts';

/** In tokens. */
const WINDOW = 512;
const LONG = { timeout: 40_000 };
vi.setConfig({ testTimeout: 120_000 });

let home: string;
let server: RunningServer;
let browser: TestBrowser;
let page: Page;
let failures: string[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-chat-window-'));
  server = await startChatServer(['--ctx-len', String(WINDOW)], { models: home });
  browser = await launchBrowser();
  page = await openChat(browser.open, server.url);
  page.setDefaultTimeout(LONG.timeout);
  failures = exceptionsOf(page);
  // The same words get the same reply each time, so that the window is as full. New chats keep this.
  await page.getByRole('button', { name: 'Settings of this chat' }).click();
  await page.getByLabel('Temperature').fill('0');
  await page.keyboard.press('Escape');
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await rm(home, { recursive: true });
});

const sign = () => page.getByRole('button', { name: /^Context: / });
const panel = () => page.getByRole('region', { name: 'The context of this chat' });
const mark = () => page.getByRole('region', { name: 'Left out' });

/** A text that nobody says twice, of about this many words. */
const words = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ');

async function begin(): Promise<void> {
  await page.getByRole('button', { name: 'New chat' }).click();
  await chooseModel(page, 'pico');
}

/** How full the sign says that the window is, in percent. */
async function percent(): Promise<number> {
  return Number(/\d+/.exec(await textOf(sign()))?.[0]);
}

/** Returns the texts of the messages in the chat request that `act` causes. */
async function sentBy(act: () => Promise<unknown>): Promise<string[]> {
  const [request] = await Promise.all([page.waitForRequest('**/v1/chat/completions'), act()]);
  return request.postDataJSON().messages.map(({ content }: { content: string }) => content);
}

const answered = () => replies(page).last().getByRole('button', { name: 'Retry' }).waitFor();

describe('the context window of a chat', () => {
  it('is not told of until half of it is taken, and then by real counts', async () => {
    await begin();
    await ask(page, 'Hello');
    await messageField(page).fill('A few words');
    expect(await sign().count()).toBe(0);

    await messageField(page).fill(words(60, 'w'));
    await sign().waitFor();
    const first = await percent();
    expect(first).toBeGreaterThanOrEqual(50);
    await messageField(page).fill(`${words(60, 'w')} and ten more words for the gauge to count`);
    await expect.poll(percent).toBeGreaterThan(first);
    await messageField(page).fill('A few words');
    await sign().waitFor({ state: 'detached' });
    await messageField(page).fill('');
  });

  it('offers what can be done before it is full: here to leave out the oldest turns, with a way back', async () => {
    await begin();
    await ask(page, 'Hello');
    await ask(page, words(60, 'a'));
    await messageField(page).fill(words(25, 'b'));
    await panel().waitFor();
    expect(await textOf(panel())).toMatch(/This chat takes \d+ of 512 tokens of the model’s context, and a reply/);
    await panel().getByRole('button', { name: 'Leave them out' }).click();
    await mark().waitFor();
    await panel().waitFor({ state: 'detached' });

    await reload(page);
    await mark().getByText('The 2 messages above are left out: the model reads on from here.').waitFor();
    expect(await bubbles(page)).toEqual(['Hello', words(60, 'a')]);
    const sent = await sentBy(() => messageField(page).press('Enter'));
    expect(sent[0]).toBe(words(60, 'a'));
    await answered();

    await mark().getByRole('button', { name: 'Take them in again' }).click();
    await mark().waitFor({ state: 'detached' });
    const again = await sentBy(() => page.getByRole('button', { name: 'Retry' }).last().click());
    expect(again[0]).toBe('Hello');
    await answered();
  });

  it('offers the same where a request was refused, and asks again when there is room', async () => {
    await begin();
    await ask(page, words(60, 'c'));
    await say(page, words(70, 'd'));
    const failed = replies(page).last();
    await failed.getByText('The prompt exceeds the context window').waitFor();
    expect(await failed.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await failed.getByText('A larger window').click();
    await failed.getByText(/up to [\d,]+ tokens and has 512 tokens here|was made for 512 tokens/).waitFor();
    const sent = await sentBy(() => failed.getByRole('button', { name: 'Leave them out' }).click());
    expect(sent).toEqual([words(70, 'd')]);
    await answered();
    expect(await replies(page).count()).toBe(2);
  });

  it('says where one message alone is too large for it, and sends it without its file', async () => {
    await begin();
    const buffer = Buffer.from(words(300, 'x'));
    await page.getByLabel(/^Attach /).setInputFiles({ name: 'long.txt', mimeType: 'text/plain', buffer });
    await say(page, 'What does it say?');
    const failed = replies(page).last();
    await failed.getByText('This message with its files is too large for the model’s context.').waitFor();
    for (const name of ['Leave them out', 'Summarise the oldest messages', 'Go on in a chat with the last ones']) {
      expect(await failed.getByRole('button', { name }).count()).toBe(0);
    }
    const sent = await sentBy(() => failed.getByRole('button', { name: 'Send it without “long.txt”' }).click());
    expect(sent).toEqual(['What does it say?']);
    await answered();

    await begin();
    await say(page, words(300, 'y'));
    await replies(page).last().getByText('This message alone is too large for the model’s context.').waitFor();
  });

  it('has the oldest turns summarised by the model, and the summary edited', async () => {
    await begin();
    await ask(page, 'What is Paddock?');
    await ask(page, words(50, 'e'));
    await messageField(page).fill(words(40, 'f'));
    await panel().getByRole('button', { name: 'Summarise the oldest messages' }).click();
    const summary = mark().getByRole('textbox', { name: 'Summary of what is left out' });
    await summary.waitFor();
    expect(await summary.inputValue()).not.toBe('');
    await summary.fill('They spoke of Paddock.');
    await reload(page);
    expect(await summary.inputValue()).toBe('They spoke of Paddock.');
    await messageField(page).fill('And now?');
    const sent = await sentBy(() => messageField(page).press('Enter'));
    expect(sent[0]).toMatch(/Summary of what was said before:\nThey spoke of Paddock\.$/);
    expect(sent).not.toContain('What is Paddock?');
    await answered();
  });

  it('goes on in a new chat with the last turns, and what was written', async () => {
    await begin();
    await ask(page, 'Who are you?');
    await ask(page, words(50, 'g'));
    await messageField(page).fill(words(40, 'h'));
    await panel().getByRole('button', { name: 'Go on in a chat with the last ones' }).click();
    await expect.poll(() => bubbles(page)).toEqual([words(50, 'g')]);
    expect(await messageField(page).inputValue()).toBe(words(40, 'h'));
    await messageField(page).fill('Hello again');
    expect(await sentBy(() => messageField(page).press('Enter'))).toHaveLength(3);
    await answered();
  });

  it('had no errors', () => {
    expect(failures).toEqual([]);
  });
});
