import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { type RunningServer, startServer } from '../../support/server.ts';
import { ask, chooseModel, conversationOf, messageField, openChat, replies, say, textOf } from './support.ts';

const FLAGS = ['--backend', 'cpu', '--threads', '1', '--log-level', 'warn'];
const LONG = { timeout: 40_000 };

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

let server: RunningServer;
let browser: TestBrowser;
let tabs: [Page, Page];

beforeAll(async () => {
  server = await startServer(['--models', inject('modelsFolder'), ...FLAGS]);
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

const chat = (page: Page, title: string) =>
  page.getByRole('navigation').getByRole('button', { name: title, exact: true });
const bubbles = (page: Page) => page.locator('.bubble').allInnerTexts();

describe('two tabs', () => {
  it('show each other’s chats and words at once, and lose none', async () => {
    const [a, b] = tabs;
    await ask(a, 'Begun in A');
    await chat(b, 'Begun in A').click();
    await ask(b, 'Said in B');
    await expect.poll(() => bubbles(a)).toEqual(['Begun in A', 'Said in B']);
    await ask(a, 'Said in A');
    await expect.poll(() => bubbles(b)).toEqual(['Begun in A', 'Said in B', 'Said in A']);
    await Promise.all([a.reload(), b.reload()]);
    for (const tab of tabs) await expect.poll(() => bubbles(tab)).toEqual(['Begun in A', 'Said in B', 'Said in A']);
  });

  it('agree that a chat is deleted, and restored', async () => {
    const [a, b] = tabs;
    await ask(a, 'To be deleted');
    await chat(b, 'To be deleted').click();
    await a.getByRole('button', { name: 'Delete To be deleted' }).click();
    await b.getByText('This chat was deleted in another tab.').waitFor();
    await chat(b, 'To be deleted').waitFor({ state: 'detached' });
    await a.reload();
    await a.locator('.model-name', { hasNotText: 'Models' }).waitFor();
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
    await deaf.locator('.model-name', { hasNotText: 'Models' }).waitFor();
    await ask(a, 'From A');
    expect(await bubbles(deaf)).toEqual(['Begun']);
    await ask(deaf, 'From B');
    await a.reload();
    await expect.poll(() => bubbles(a)).toEqual(['Begun', 'From B']);
    await a.locator('.said').getByRole('button', { name: 'Version before' }).click();
    await expect.poll(() => bubbles(a)).toEqual(['Begun', 'From A']);
    expect(await replies(a).count()).toBe(2);
    await deaf.reload();
    await expect.poll(() => bubbles(deaf)).toEqual(['Begun', 'From A']);
  });
});

describe('chats of an older Paddock', () => {
  it('are carried over, and wait for an old tab to be closed', async () => {
    await using browser = await launchBrowser();
    const old = await browser.open(`${server.url}/icon.svg`);
    await old.evaluate(storeFirstVersion, [conversationOf('An old chat', 'An old answer')]);
    const page = await browser.open(server.url);
    page.setDefaultTimeout(LONG.timeout);
    await page.getByText(/An older Paddock is open in another tab/).waitFor();
    await ask(page, 'Said meanwhile');
    await old.close();
    await chat(page, 'An old chat').click();
    await replies(page).first().getByText('An old answer').waitFor();
    await page.reload();
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
