import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MessageNode } from '../../../../web/chat/conversation/tree/tree.ts';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { makeRandom } from '../../../kit/random.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { repeats } from '../../../support/repeats.ts';
import { startChatServer } from '../grounds.ts';
import {
  ask,
  bubbles,
  chat,
  chooseModel,
  conversationOf,
  messageField,
  openChat,
  readStored,
  reload,
  replies,
  say,
  textOf,
  untilModel,
} from '../support.ts';

const LONG = { timeout: 40_000 };

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

let server: RunningServer;
let browser: TestBrowser;
let tabs: [Page, Page];

beforeAll(async () => {
  server = await startChatServer();
});
afterAll(async () => {
  await server?.stop();
});
beforeEach(async () => {
  browser = await launchBrowser();
  tabs = [await openTab(), await openTab()];
  return () => browser.close();
});

async function openTab(): Promise<Page> {
  const page = await openChat(browser.open, server.url);
  page.setDefaultTimeout(LONG.timeout);
  return page;
}

describe('two tabs', () => {
  it('show each other’s chats and words at once, and lose none', async () => {
    const [a, b] = tabs;
    await ask(a, 'Begun in A');
    await chat(b, 'Begun in A').click();
    await ask(b, 'Said in B');
    await expect.poll(() => bubbles(a)).toEqual(['Begun in A', 'Said in B']);
    await ask(a, 'Said in A');
    await expect.poll(() => bubbles(b)).toEqual(['Begun in A', 'Said in B', 'Said in A']);
    await Promise.all([reload(a), reload(b)]);
    for (const tab of tabs) await expect.poll(() => bubbles(tab)).toEqual(['Begun in A', 'Said in B', 'Said in A']);
  });

  it('agree that a chat is deleted, and restored', async () => {
    const [a, b] = tabs;
    await ask(a, 'To be deleted');
    await chat(b, 'To be deleted').click();
    await a.getByRole('button', { name: 'Delete To be deleted' }).click();
    await b.getByText('This chat was deleted in another tab.').waitFor();
    await chat(b, 'To be deleted').waitFor({ state: 'detached' });
    await reload(a);
    await untilModel(a);
    expect(await chat(a, 'To be deleted').count()).toBe(0);
    await b.getByRole('button', { name: 'Restore' }).click();
    await chat(a, 'To be deleted').waitFor();
    expect(await bubbles(b)).toEqual(['To be deleted']);
  });

  it('show a reply of the other one while it grows, and can stop it', async () => {
    const [a, b] = tabs;
    await chooseModel(a, 'tiny');
    await say(a, 'Go on and on');
    await chat(b, 'Go on and on').click();
    const reply = replies(b).last();
    await reply.getByText('Being written in another tab…').waitFor();
    await expect.poll(async () => (await textOf(reply.locator('.prose'))).length, LONG).toBeGreaterThan(0);
    await b.getByRole('button', { name: 'Stop' }).click();
    for (const tab of tabs) await replies(tab).last().getByText('Stopped.').waitFor();
  });

  it('share the draft of a chat', async () => {
    const [a, b] = tabs;
    await messageField(a).fill('begun here');
    await expect.poll(() => messageField(b).inputValue()).toBe('begun here');
    await messageField(b).fill('begun here, ended there');
    await ask(a, await messageField(a).inputValue());
    await expect.poll(() => messageField(b).inputValue()).toBe('');
  });

  it('keep both of two messages that were said without hearing of each other, as versions', async () => {
    const [a] = tabs;
    const deaf = await browser.context.newPage();
    deaf.setDefaultTimeout(LONG.timeout);
    await deaf.addInitScript('delete globalThis.BroadcastChannel');
    await ask(a, 'Begun');
    await deaf.goto(a.url());
    await replies(deaf).first().waitFor();
    await untilModel(deaf);
    await ask(a, 'From A');
    expect(await bubbles(deaf)).toEqual(['Begun']);
    await ask(deaf, 'From B');
    await reload(a);
    await expect.poll(() => bubbles(a)).toEqual(['Begun', 'From B']);
    await a.locator('.said').getByRole('button', { name: 'Version before' }).click();
    await expect.poll(() => bubbles(a)).toEqual(['Begun', 'From A']);
    expect(await replies(a).count()).toBe(2);
    await reload(deaf);
    await expect.poll(() => bubbles(deaf)).toEqual(['Begun', 'From A']);
  });
});

/** Of the random operations. */
const COUNT = repeats(40, 400);

describe(`${COUNT} random operations in two tabs`, () => {
  it('leave both alike, and lose nothing that was said', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = makeRandom(seed);
    const next = () => random() / 2 ** 32;
    const pick = <T>(all: T[]): T | undefined => all[Math.floor(next() * all.length)];
    const words: string[] = [];
    const click = async (all: Locator) => pick(await all.all())?.click({ timeout: 2000 });
    const untilIdle = (tab: Page) => tab.getByRole('button', { name: 'Send', exact: true }).waitFor();
    const write = async (field: Locator) => {
      words.push(`word ${words.length}`);
      await field.fill(words.at(-1) ?? '');
      await field.press('Enter');
    };
    const settings = async (tab: Page, label: string, value: string) => {
      await tab.getByRole('button', { name: 'Settings of this chat' }).click();
      const field = tab.getByRole('dialog', { name: 'Settings of this chat' }).getByLabel(label);
      await field.fill(value);
      await field.press('Escape');
    };
    const operations: Record<string, (tab: Page) => Promise<unknown>> = {
      say: (tab) => write(messageField(tab)),
      'say more': (tab) => write(messageField(tab)),
      edit: async (tab) => {
        await click(tab.getByRole('button', { name: 'Edit and send again' }));
        const editor = tab.getByRole('textbox', { name: 'Your message' });
        if ((await editor.count()) > 0) await write(editor);
      },
      retry: (tab) => click(tab.getByRole('button', { name: 'Retry' })),
      'show a version': (tab) => click(tab.locator('.versions button[aria-disabled=false]')),
      begin: (tab) => tab.getByRole('button', { name: 'New chat' }).click(),
      open: (tab) => click(tab.locator('.chat-open')),
      delete: (tab) => click(tab.getByRole('button', { name: /^Delete / })),
      restore: (tab) => click(tab.getByRole('button', { name: /^(?:Undo|Restore)$/ })),
      rename: (tab) => settings(tab, 'Title', `title ${Math.floor(next() * 1000)}`),
      reload: (tab) => reload(tab),
    };

    for (const tab of tabs) await settings(tab, 'Max tokens', '1');
    for (let count = 0; count < COUNT; count += 1) {
      const tab = tabs[next() < 0.5 ? 0 : 1];
      await pick(Object.values(operations))?.(tab);
      await untilIdle(tab);
    }

    const [a, b] = tabs;
    const titles = (tab: Page) => tab.locator('.chat-open').allInnerTexts();
    const shown = async (tab: Page, title: string) => {
      await chat(tab, title).first().click();
      await tab.locator('.bubble').first().waitFor();
      return textOf(tab.locator('.turns'));
    };
    await expect.poll(async () => (await titles(a)).join(), LONG).toBe((await titles(b)).join());
    for (const title of new Set(await titles(a))) {
      await expect.poll(async () => (await shown(a, title)) === (await shown(b, title)), LONG).toBe(true);
    }
    const stored = (await readStored<MessageNode>(a, 'messages')).map(({ turn }) => turn.value.text);
    expect(
      words.filter((word) => !stored.includes(word)),
      `seed ${seed}`,
    ).toEqual([]);
    expect(words.length).toBeGreaterThan(COUNT / 20);
  });
});

describe('chats of an older Paddock', () => {
  it('are carried over, and wait for an old tab to be closed', async () => {
    await using browser = await launchBrowser();
    const old = await browser.open(`${server.url}/icon.svg`);
    await old.evaluate(storeFirstVersion, [conversationOf('An old chat', 'An old answer')]);
    // The address names a chat that can not be read yet.
    const page = await browser.open(`${server.url}/#unread`);
    page.setDefaultTimeout(LONG.timeout);
    await page.getByText(/An older Paddock is open in another tab/).waitFor();
    await ask(page, 'Said meanwhile');
    expect(await bubbles(page)).toEqual(['Said meanwhile']);
    await old.close();
    await chat(page, 'An old chat').click();
    await replies(page).first().getByText('An old answer').waitFor();
    await reload(page);
    await chat(page, 'Said meanwhile').click();
    await expect.poll(() => bubbles(page)).toEqual(['Said meanwhile']);
  });
});

/** Runs in a page. Stores conversations as the first version of the chat page did, and keeps its connection. */
function storeFirstVersion(conversations: { id: string; title: string; updatedAt: number }[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('paddock-chat', 1);
    opening.onerror = () => reject(opening.error);
    opening.onupgradeneeded = () => {
      for (const name of ['conversations', 'summaries']) opening.result.createObjectStore(name, { keyPath: 'id' });
    };
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(['conversations', 'summaries'], 'readwrite');
      for (const conversation of conversations) {
        transaction.objectStore('conversations').put(conversation);
        const { id, title, updatedAt } = conversation;
        transaction.objectStore('summaries').put({ id, title, updatedAt });
      }
      transaction.oncomplete = () => resolve();
    };
  });
}
