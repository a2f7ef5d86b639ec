import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { writeTinyModel } from '../../../kit/models/tiny-model.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startChatServer } from '../grounds.ts';
import {
  announcement,
  ask,
  chooseModel,
  conversationOf,
  failuresOf,
  importChats,
  messageField,
  openChat,
  reload,
  replies,
  say,
  status,
  textOf,
  untilModel,
} from '../support.ts';

/** https://wicg.github.io/layout-instability */
interface LayoutShift extends PerformanceEntry {
  value: number;
  /** True if the shift came right after an input of the reader, who may have caused it. */
  hadRecentInput: boolean;
}

/** The time limit if the test waits for the model. */
const LONG = { timeout: 40_000 };
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let server: RunningServer;
let browser: TestBrowser;
let page: Page;
let failures: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-chat-page-'));
  writeTinyModel(join(folder, 'endless.gguf'), { contextLength: 8192 });
  server = await startChatServer([], { models: folder });
  browser = await launchBrowser();
  page = await openChat(browser.open, server.url);
  page.setDefaultTimeout(LONG.timeout);
  failures = failuresOf(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await rm(folder, { recursive: true });
});

async function begin(): Promise<void> {
  await page.getByRole('button', { name: 'New chat' }).click();
}

/** Closes everything that the test before has left open. */
beforeEach(async () => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(server.url);
  await chooseModel(page, 'pico');
});

/** Returns the body of the chat request that `act` causes. */
async function requestOf(act: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const [request] = await Promise.all([page.waitForRequest('**/v1/chat/completions'), act()]);
  return request.postDataJSON();
}

describe('the chat page of a local server', () => {
  it('streams a reply, shows its figures, announces it, and says what the model runs on', async () => {
    expect(await ask(page, 'What can you do?')).toMatch(/Paddock|chat/);
    const reply = replies(page).last();
    expect(await textOf(reply.locator('.reply-foot'))).toMatch(/\d+ tokens · [\d.,]+ tokens\/s · first after/);
    expect(await reply.getAttribute('aria-busy')).toBe('false');
    expect(await textOf(announcement(page))).toMatch(/^pico says: /);
    await status(page).getByText('Runs on the CPU').waitFor();
    expect(await messageField(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await reply.getByRole('button', { name: /first after/ }).click();
    expect(await textOf(page.locator('.reply-foot .why'))).toMatch(
      /^The prompt had \d+ tokens, \d+ of them cached\..* The reply took/,
    );
  });

  it('begins a line with Shift+Enter, and sends no empty message', async () => {
    await begin();
    await messageField(page).press('Enter');
    await messageField(page).pressSequentially('one');
    await messageField(page).press('Shift+Enter');
    await messageField(page).pressSequentially('two');
    const { messages } = await requestOf(() => messageField(page).press('Enter'));
    expect(messages).toEqual([{ role: 'user', content: 'one\ntwo' }]);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
  });

  it('stops a reply by the button and by Escape, and keeps its text so far', async () => {
    for (const stop of [
      () => page.getByRole('button', { name: 'Stop' }).click(),
      () => page.getByRole('button', { name: 'Stop' }).press('Enter'),
      () => page.keyboard.press('Escape'),
    ]) {
      // Each uses a new conversation: a fast machine fills the context window before the stop.
      await begin();
      await chooseModel(page, 'endless');
      await say(page, 'Go on and on');
      const reply = replies(page).last();
      await expect.poll(async () => (await textOf(reply.locator('.prose'))).length, LONG).toBeGreaterThan(20);
      await stop();
      await reply.getByText('Stopped.').waitFor();
      expect((await textOf(reply.locator('.prose'))).length).toBeGreaterThan(20);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
    }
    const busy = async () => {
      const { models } = (await (await fetch(`${server.url}/health`)).json()) as { models: { busy: number }[] };
      return models.reduce((sum, model) => sum + model.busy, 0);
    };
    await expect.poll(busy, LONG).toBe(0);
  });

  it('asks the same again, and asks an edited question instead', async () => {
    await begin();
    await ask(page, 'Hello');
    const again = await requestOf(() => page.getByRole('button', { name: 'Retry' }).click());
    expect(again.messages).toEqual([{ role: 'user', content: 'Hello' }]);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await replies(page).count()).toBe(1);

    await page.getByRole('button', { name: 'Edit and send again' }).click();
    await page.getByRole('textbox', { name: 'Your message' }).fill('Who are you?');
    const edited = await requestOf(() => page.keyboard.press('Enter'));
    expect(edited.messages).toEqual([{ role: 'user', content: 'Who are you?' }]);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await page.locator('.bubble').allInnerTexts()).toEqual(['Who are you?']);
  });

  it('sends the system prompt and the valid numbers of the settings, and marks invalid ones', async () => {
    await begin();
    await page.getByRole('button', { name: 'Settings of this chat' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings of this chat' });
    await dialog.getByLabel('System prompt').fill('Be brief.');
    await dialog.getByLabel('Temperature').fill('0');
    await dialog.getByLabel('Max tokens').fill('5');
    await dialog.getByText('More sampling settings').click();
    await dialog.getByLabel('Top P').fill('3');
    await dialog.getByLabel('Top K').focus();
    expect(await dialog.getByLabel('Top P').getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Escape');
    const body = await requestOf(() => say(page, 'What can you do?'));
    expect(body).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      temperature: 0,
      max_tokens: 5,
    });
    expect(body).not.toHaveProperty('top_p');
    await replies(page).last().getByText('Cut off').waitFor();
    // A new chat keeps the settings.
    await begin();
    expect(await requestOf(() => say(page, 'Hi'))).toMatchObject({ temperature: 0 });
    await page.getByRole('button', { name: 'Settings of this chat' }).click();
    await dialog.getByRole('button', { name: 'Reset all' }).click();
    await page.keyboard.press('Escape');
  });

  it('shows tool calls, and continues once they are answered', async () => {
    await begin();
    await page.getByRole('button', { name: 'Settings of this chat' }).click();
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const weather = { name: 'get_weather', description: 'Tells the weather in a city.', parameters };
    await page.getByText('Tools', { exact: true }).click();
    await page.getByLabel('Tools, as JSON').fill(JSON.stringify([{ type: 'function', function: weather }]));
    await page.keyboard.press('Escape');
    await say(page, 'What is the weather in Rome?');
    const call = page.getByRole('region', { name: 'Call of get_weather' });
    expect(await textOf(call.locator('dl'))).toMatch(/city\s*Rome/);
    await call.getByRole('textbox', { name: 'Result of get_weather' }).fill('Sunny, 21 degrees');
    const { messages } = await requestOf(() => page.keyboard.press('Enter'));
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ function: { name: 'get_weather' } }] },
      { role: 'tool', content: 'Sunny, 21 degrees' },
    ]);
    await replies(page).nth(1).getByRole('button', { name: 'Retry' }).waitFor();
    expect(await textOf(call)).toContain('ResultSunny, 21 degrees');
  });

  it('keeps conversations over a reload, deletes and restores, exports and imports them', async () => {
    await begin();
    await ask(page, 'My name is Ada');
    const said = await textOf(replies(page).first().locator('.prose'));
    await reload(page);
    await page.getByText('My name is Ada').first().waitFor();
    expect(await textOf(replies(page).first().locator('.prose'))).toBe(said);

    const listed = page.getByRole('navigation').getByRole('button', { name: 'My name is Ada', exact: true });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const file = await download.path();
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ format: 'paddock-chats' });

    await page.getByRole('button', { name: 'Delete My name is Ada' }).click();
    await listed.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await listed.waitFor();
    await page.getByRole('button', { name: 'Delete My name is Ada' }).click();
    await listed.waitFor({ state: 'detached' });
    await page.getByLabel('Import chats').setInputFiles(file);
    await page.getByText(/Imported 1 chat\./).waitFor();
    await listed.click();
    expect(await textOf(replies(page).first().locator('.prose'))).toBe(said);
    await reload(page);
    await listed.waitFor();
  });

  it('renders Markdown, and does not run, frame or fetch anything that a model writes', async () => {
    const elsewhere: string[] = [];
    page.on('request', (request) => request.url().startsWith(server.url) || elsewhere.push(request.url()));
    const text = [
      '# Title\n\nA **bold** [link](https://example.org/a) and [another](javascript:alert(1)).',
      '![far away](https://example.org/pixel.png) ![near](data:image/gif;base64,R0lGODlhAQABAAAAACw=)',
      '<script>globalThis.ran = true</script><img src=x onerror="globalThis.ran = true"><iframe src="/"></iframe>',
      '| a | b |\n|---|---|\n| 1 | 2<br>3 |\n\n- [x] done\n\n```js\nlet x = 1 < 2;\n```\n\nH<sub>2</sub>O',
    ].join('\n\n');
    await importChats(page, [conversationOf('Markdown', text)]);
    await page.getByRole('navigation').getByRole('button', { name: 'Markdown', exact: true }).click();
    const prose = replies(page).first().locator('.prose');
    await prose.getByRole('heading', { name: 'Title', level: 3 }).waitFor();
    const link = prose.getByRole('link', { name: 'link', exact: true });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await prose.getByRole('link', { name: 'far away' }).getAttribute('href')).toBe(
      'https://example.org/pixel.png',
    );
    expect(await prose.locator('a[href^="javascript"], script, iframe, [onerror], img[src^="http"]').count()).toBe(0);
    expect(await prose.locator('img[src^="data:"]').count()).toBe(1);
    expect(await prose.getByRole('table').locator('td br').count()).toBe(1);
    expect(await textOf(prose.locator('pre code'))).toBe('let x = 1 < 2;');
    expect(await textOf(prose.locator('sub'))).toBe('2');
    expect(await textOf(prose)).toContain('<script>globalThis.ran = true</script>');
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
    expect(elsewhere).toEqual([]);
  });

  it('follows a reply to its end until the reader scrolls up, and shifts nothing while it grows', async () => {
    await begin();
    await chooseModel(page, 'endless');
    await page.setViewportSize({ width: 700, height: 480 });
    await page.evaluate(() => {
      const shifts: { at: number; value: number }[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        for (const { hadRecentInput, startTime, value } of list.getEntries() as LayoutShift[]) {
          if (!hadRecentInput) shifts.push({ at: startTime, value });
        }
      }).observe({ type: 'layout-shift', buffered: false });
    });
    const shiftsSince = (time: number) =>
      page.evaluate((since) => {
        const { shifts } = globalThis as unknown as { shifts: { at: number; value: number }[] };
        return shifts.filter(({ at }) => at >= since);
      }, time);
    const turns = page.getByRole('region', { name: 'Conversation' });
    const fromEnd = () => turns.evaluate((frame) => frame.scrollHeight - frame.scrollTop - frame.clientHeight);
    const height = () => turns.evaluate((frame) => frame.scrollHeight);
    await say(page, 'Go on and on');
    // What the message itself moves is not counted: on a busy machine that may come long after the click.
    await expect.poll(() => textOf(replies(page).last().locator('.prose')), LONG).not.toBe('');
    const begun = await page.evaluate(() => performance.now());
    await expect.poll(height, LONG).toBeGreaterThan((await turns.evaluate((frame) => frame.clientHeight)) + 150);
    await expect.poll(fromEnd).toBeLessThan(48);
    await turns.evaluate((frame) => frame.scrollBy(0, -100));
    const top = await turns.evaluate((frame) => frame.scrollTop);
    const grown = await height();
    await expect.poll(height, LONG).toBeGreaterThan(grown + 50);
    expect(await turns.evaluate((frame) => frame.scrollTop)).toBe(top);
    await page.getByRole('button', { name: 'Latest' }).click();
    await expect.poll(fromEnd).toBeLessThan(48);
    expect((await shiftsSince(begun)).reduce((sum, { value }) => sum + value, 0)).toBeLessThan(0.01);
    await page.getByRole('button', { name: 'Stop' }).click();
    await replies(page).last().getByText('Stopped.').waitFor();
  });

  it('had no errors so far', () => {
    expect(failures).toEqual([]);
  });

  // This comes last, since the browser logs refused requests as errors.
  it('says why a model is not to be had, and why the built-in one can not be removed', async () => {
    await page.locator('.model-button').click();
    const dialog = page.getByRole('dialog', { name: 'Models' });
    await dialog.getByLabel('Search Hugging Face').fill('hf:nonsense');
    await dialog.getByRole('button', { name: 'Find' }).click();
    await dialog.getByText(/^hf:nonsense was not found: .*hf:/).waitFor();
    await dialog.getByRole('button', { name: 'More about Pico' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    expect(await textOf(page.locator('.notice.bad'))).toMatch(/pico/i);
    await dialog.getByTitle('pico', { exact: true }).waitFor();
  });
});

describe('a server that needs a key', () => {
  it('gets it from this tab only, and a new one if the first was wrong', async () => {
    const guarded = await startChatServer(['--api-key', 'sesame'], { models: folder });
    try {
      const tab = await browser.open(guarded.url);
      tab.setDefaultTimeout(LONG.timeout);
      const dialog = tab.getByRole('dialog', { name: 'API key' });
      for (const key of ['wrong', 'sesame']) {
        await dialog.getByLabel('Key').fill(key);
        await dialog.getByRole('button', { name: 'Continue' }).click();
        if (key === 'wrong') await dialog.getByText('The API key is not valid.').waitFor();
      }
      await dialog.waitFor({ state: 'hidden' });
      await untilModel(tab);
      await chooseModel(tab, 'pico');
      expect(await ask(tab, 'Hello')).not.toBe('');
      const kept = await tab.evaluate(() => [JSON.stringify(localStorage), JSON.stringify(sessionStorage)]);
      expect(kept.map((text) => text.includes('sesame'))).toEqual([false, true]);
      await tab.close();
    } finally {
      await guarded.stop();
    }
  });
});

describe('a server that has stopped', () => {
  it('leads to a friendly message and a button to try again', async () => {
    const fleeting = await startChatServer([], { models: folder });
    const tab = await openChat(browser.open, fleeting.url);
    await fleeting.stop();
    await say(tab, 'Hello?');
    const reply = replies(tab).last();
    await reply.getByText('Paddock can’t be reached').waitFor();
    expect(await textOf(announcement(tab))).toMatch(/^The reply failed/);
    await reply.getByRole('button', { name: 'Try again' }).click();
    await reply.getByText('Paddock can’t be reached').waitFor();
    expect(await replies(tab).count()).toBe(1);
    await tab.close();
  });
});
