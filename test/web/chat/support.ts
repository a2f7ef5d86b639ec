import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestBrowser } from '../../kit/browser/browser.ts';

/** The chat page in a tab, as a person sees it. */
export const messageField = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
export const replies = (page: Page) => page.locator('article.reply');
export const announcement = (page: Page) => page.locator('#announcement');
export const bubbles = (page: Page): Promise<string[]> => page.locator('.bubble').allInnerTexts();
/** The button in the list that opens the chat with this title. */
export const chat = (page: Page, title: string): Locator =>
  page.getByRole('navigation').getByRole('button', { name: title, exact: true });
export const status = (page: Page) => page.locator('.status');
export const openModels = (page: Page): Promise<void> => page.locator('.model-button').click();
export const modelsDialog = (page: Page) => page.getByRole('dialog', { name: 'Models' });

/** Waits until the line below the message says this. */
export async function untilStatus(page: Page, text: string | RegExp): Promise<void> {
  await expect.poll(() => textOf(status(page))).toMatch(text);
}

/** Collects what a page throws and nobody catches, from now on. */
export function exceptionsOf(page: Page): string[] {
  const exceptions: string[] = [];
  page.on('pageerror', (error) => exceptions.push(String(error)));
  return exceptions;
}

/** Collects that and the errors in its console, of which each refused request is one. */
export function failuresOf(page: Page): string[] {
  const failures = exceptionsOf(page);
  page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
  return failures;
}

export async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? '';
}

/** Opens the page in a new tab and waits until a message can be typed. */
export async function openChat(open: (url: string) => Promise<Page>, url: string): Promise<Page> {
  const page = await open(url);
  await untilModel(page);
  return page;
}

/** Waits until Paddock is ready. */
export async function untilModel(page: Page): Promise<void> {
  await page.locator('.model-name', { hasNotText: 'Models' }).waitFor();
}

export async function say(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text);
  await messageField(page).press('Enter');
}

/** Sends a message and waits for the end of the reply. Returns its text. */
export async function ask(page: Page, text: string): Promise<string> {
  const before = await replies(page).count();
  await say(page, text);
  const reply = replies(page).nth(before);
  await reply.getByRole('button', { name: 'Retry' }).waitFor();
  return textOf(reply.locator('.prose'));
}

/** Loads the page again once what it has begun to store is stored: nobody reloads as fast as a test does. */
export async function reload(page: Page): Promise<void> {
  // A transaction that reads waits for all before it that write.
  for (const store of ['heads', 'draftTexts', 'draftAttachments'] as const) await readStored(page, store);
  await page.reload();
}

/** Loads the page as on a first visit: with nothing of another test, nor of a first try of this one. */
export async function visitAnew(browser: TestBrowser, page: Page, url: string): Promise<void> {
  await page.goto('about:blank');
  const devtools = await browser.devtools(page);
  await devtools.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'indexeddb,local_storage' });
  await devtools.detach();
  await page.goto(url);
}

/** Opens the list of models and chooses one. */
export async function chooseModel(page: Page, id: string): Promise<void> {
  await openModels(page);
  await modelsDialog(page).getByTitle(id, { exact: true }).click();
}

/** Imports a file with these conversations, as a person would. */
export async function importChats(page: Page, conversations: object[]): Promise<void> {
  const text = JSON.stringify({ format: 'paddock-chats', version: 1, conversations });
  await page
    .getByLabel('Import chats')
    .setInputFiles({ name: 'chats.json', mimeType: 'application/json', buffer: Buffer.from(text) });
}

/** A conversation of one question and one reply, in the form of export files. */
export function conversationOf(title: string, text: string, more: Record<string, unknown> = {}) {
  return {
    id: `id of ${title}`.replaceAll(' ', '-'),
    title,
    createdAt: 1,
    updatedAt: Date.now(),
    model: null,
    settings: { system: '', tools: '', sampling: {} },
    turns: [
      { role: 'user', id: 'u', text: 'Show me.', images: [] },
      {
        role: 'assistant',
        id: 'r',
        model: 'pico',
        text,
        reasoning: '',
        calls: [],
        end: { kind: 'finished', reason: 'stop' },
        stats: null,
        ...more,
      },
    ],
  };
}

/** The name of a store in the page's database. */
type StoreName = 'heads' | 'messages' | 'draftTexts' | 'draftAttachments';

/** Reads all rows of a store in the page's database. */
export function readStored<Row>(page: Page, store: StoreName): Promise<Row[]> {
  return page.evaluate(readInPage, store) as Promise<Row[]>;
}

/** Runs in a page. */
function readInPage(store: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('paddock-chat');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const reading = opening.result.transaction(store).objectStore(store).getAll();
      reading.onsuccess = () => {
        opening.result.close();
        resolve(reading.result);
      };
    };
  });
}

/** Has nobody read or write a store until the function that it gives is called. `page` must stay open. */
export async function holdStore(page: Page, store: StoreName): Promise<() => Promise<void>> {
  await page.evaluate(holdInPage, store);
  return () => page.evaluate(releaseInPage);
}

interface Holding {
  isHeld: boolean;
}

/** Runs in a page. A transaction that writes keeps all others out, and lasts as long as it is asked something. */
function holdInPage(store: string): Promise<void> {
  return new Promise((resolve) => {
    const holding = globalThis as unknown as Holding;
    holding.isHeld = true;
    const opening = indexedDB.open('paddock-chat');
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(store, 'readwrite');
      transaction.oncomplete = () => opening.result.close();
      const goOn = () => {
        if (holding.isHeld) transaction.objectStore(store).count().onsuccess = goOn;
      };
      transaction.objectStore(store).count().onsuccess = () => {
        resolve();
        goOn();
      };
    };
  });
}

/** Runs in a page. */
function releaseInPage(): void {
  (globalThis as unknown as Holding).isHeld = false;
}

/** Changes rows of a store in the page's database: each gets these values besides its own. */
export function changeStored(page: Page, store: StoreName, values: object): Promise<void> {
  return page.evaluate(changeInPage, { store, values });
}

/** Runs in a page. */
function changeInPage({ store, values }: { store: string; values: object }): Promise<void> {
  return new Promise((resolve) => {
    const opening = indexedDB.open('paddock-chat');
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(store, 'readwrite');
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
      const rows = transaction.objectStore(store);
      rows.getAll().onsuccess = ({ target }) => {
        for (const row of (target as IDBRequest<object[]>).result) rows.put({ ...row, ...values });
      };
    };
  });
}
