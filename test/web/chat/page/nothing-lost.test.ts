import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Head, MessageNode } from '../../../../web/chat/conversation/tree/tree.ts';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { plainPng } from '../../../kit/files/media.ts';
import { listedModel, type StandIn, startStandIn } from '../stand-in.ts';
import {
  ask,
  bubbles,
  changeStored,
  chat,
  conversationOf,
  holdStore,
  importChats,
  messageField,
  openChat,
  readStored,
  reload,
  replies,
  say,
  untilModel,
} from '../support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const GONE = 'This conversation is not here any more.';

vi.setConfig({ testTimeout: 60_000 });

let server: StandIn;
let browser: TestBrowser;

beforeAll(async () => {
  server = await startStandIn([listedModel('Words', { vision: true })]);
});
afterAll(async () => {
  await server?.stop();
});
beforeEach(async () => {
  browser = await launchBrowser();
  return () => browser.close();
});

const open = () => openChat(browser.open, server.url);
const remove = (page: Page, title: string) => page.getByRole('button', { name: `Delete ${title}` }).click();
const newChat = (page: Page) => page.getByRole('button', { name: 'New chat' }).click();
const current = (page: Page) => page.locator('.chat-open[aria-current=page]').allInnerTexts();

/** Opens tabs that look for Paddock in vain until the function is called that it gives. */
async function holdPaddock(): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await browser.context.route('**/openapi.json', async (route) => {
    await held;
    // The tab may have been loaded again meanwhile.
    await route.continue().catch(() => {});
  });
  return release;
}

/** A tab that shares the storage and does nothing else: it must be of the same site. */
const openIdle = () => browser.open(`${server.url}/icon.svg`);

describe('what waits until Paddock is ready', () => {
  it('is answered then, in each chat and after a reload, but not in a chat that was deleted', async () => {
    const release = await holdPaddock();
    const page = await browser.open(server.url);
    await say(page, 'First');
    await newChat(page);
    await say(page, 'Second');
    await newChat(page);
    await say(page, 'Deleted');
    await page.getByText(/Kept\. The answer is asked for/).waitFor();
    await remove(page, 'Deleted');
    await chat(page, 'Second').click();
    // A page that is loaded again loses what is still being stored.
    const deleted = async () => (await readStored<Head>(page, 'heads')).filter((head) => head.deleted.value);
    await expect.poll(deleted).toHaveLength(1);
    await page.reload();
    await page.getByText(/Kept\. The answer is asked for/).waitFor();
    await newChat(page);
    await say(page, 'Third');
    release();
    for (const title of ['First', 'Second', 'Third']) {
      await chat(page, title).click();
      await page.getByText('I see.', { exact: true }).waitFor();
      expect(await bubbles(page)).toEqual([title]);
    }
    expect(await chat(page, 'Deleted').count()).toBe(0);
  });

  it('is answered in a chat that was deleted and restored', async () => {
    const release = await holdPaddock();
    const page = await browser.open(server.url);
    await say(page, 'Back again');
    await remove(page, 'Back again');
    release();
    await untilModel(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('I see.', { exact: true }).waitFor();
  });

  it('can be another answer to a question', async () => {
    const page = await open();
    await ask(page, 'A question');
    const release = await holdPaddock();
    await reload(page);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText(/Kept\. The answer is asked for/).waitFor();
    await page.reload();
    await page.getByText(/Kept\. The answer is asked for/).waitFor();
    release();
    await page.getByText('2/2').waitFor();
  });
});

describe('a draft', () => {
  it('is not lost if the person types on before it is read', async () => {
    const page = await open();
    await messageField(page).fill('begun before, ');
    const text = async () => (await readStored<{ value: string }>(page, 'draftTexts')).map(({ value }) => value);
    await expect.poll(text).toEqual(['begun before, ']);
    const idle = await openIdle();
    const release = await holdStore(idle, 'heads');
    await page.reload();
    await messageField(page).pressSequentially('ended after');
    await release();
    await untilModel(page);
    await expect.poll(() => messageField(page).inputValue()).toBe('begun before, ended after');
    await expect.poll(text).toEqual(['begun before, ended after']);
  });

  it('is sent or still there, never both, whenever the page ends', async () => {
    const page = await open();
    await messageField(page).fill('Only once');
    const drafted = async () => (await readStored<{ value: string }>(page, 'draftTexts')).map(({ value }) => value);
    await expect.poll(drafted).toEqual(['Only once']);
    const release = await holdStore(await openIdle(), 'draftTexts');
    await messageField(page).press('Enter');
    await page.getByText('I see.', { exact: true }).waitFor();
    await page.reload();
    await release();
    const said = (await readStored<MessageNode>(page, 'messages')).filter(({ turn }) => turn.value.role === 'user');
    expect([...said.map(({ turn }) => turn.value.text), ...(await drafted())]).toEqual(['Only once']);
  });

  it('gets the files that were chosen for it, also if another chat is open when they are read', async () => {
    await browser.context.addInitScript(() => {
      const { createImageBitmap: read } = globalThis;
      const held = new Promise<void>((resolve) => Object.assign(globalThis, { release: resolve }));
      globalThis.createImageBitmap = async (image: ImageBitmapSource) => {
        await held;
        return read(image);
      };
    });
    const page = await open();
    await ask(page, 'With a picture');
    const picture = { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(plainPng([200, 30, 30])) };
    await page.getByLabel(/^Attach /).setInputFiles(picture);
    await newChat(page);
    await messageField(page).fill('Nothing waits here');
    await page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
    await page.evaluate('release()');
    await expect.poll(async () => (await readStored(page, 'draftAttachments')).length).toBe(1);
    const attached = page.getByRole('list', { name: 'Attached' });
    expect(await attached.count()).toBe(0);
    await chat(page, 'With a picture').click();
    await attached.getByRole('img').waitFor();
  });
});

describe('a chat that is opened', () => {
  it('is the one that was chosen last, and is shown with its words only', async () => {
    const page = await open();
    await importChats(page, [conversationOf('Slow', 'Slow words')]);
    await page.getByText(/Imported 1 chat\./).waitFor();
    await reload(page);
    const idle = await openIdle();
    const release = await holdStore(idle, 'messages');
    await chat(page, 'Slow').click();
    await chat(page, 'Slow').click();
    expect(await current(page)).toEqual([]);
    await newChat(page);
    await messageField(page).fill('Here I am');
    await release();
    await expect.poll(async () => (await readStored(page, 'draftTexts')).length).toBe(1);
    expect(await current(page)).toEqual([]);
    expect(await messageField(page).inputValue()).toBe('Here I am');
    await chat(page, 'Slow').click();
    await page.getByText('Slow words').waitFor();
  });
});

describe('a chat that was deleted a day ago', () => {
  const title = 'Secret';

  /** Stores a chat with a draft that was deleted so long ago. Returns the page, the address of the chat, and an export of it. */
  async function makeErasable(): Promise<{ page: Page; address: string; file: string }> {
    const page = await open();
    await ask(page, title);
    await messageField(page).fill('secret thoughts');
    const ended = async () =>
      (await readStored<MessageNode>(page, 'messages')).filter(
        ({ turn }) => 'end' in turn.value && turn.value.end !== null,
      );
    await expect.poll(ended).toHaveLength(1);
    const address = page.url();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const file = await readFile(await download.path(), 'utf8');
    await remove(page, title);
    await expect
      .poll(async () => (await readStored<Head>(page, 'heads')).map((head) => head.deleted.value))
      .toEqual([true]);
    const at = { time: Date.now() - DAY_MS - 1000, tab: 'a' };
    await changeStored(page, 'heads', { deleted: { value: true, at } });
    return { page, address, file };
  }

  it('is not there at its address, where what is typed meanwhile goes to a new chat', async () => {
    const { page, address } = await makeErasable();
    await page.goto(`${server.url}/icon.svg`);
    const idle = await openIdle();
    const release = await holdStore(idle, 'heads');
    await page.goto(address);
    await messageField(page).fill('typed meanwhile');
    await release();
    await page.getByText(GONE).waitFor();
    await expect.poll(() => messageField(page).inputValue()).toMatch(/typed meanwhile$/);
    expect(await bubbles(page)).toEqual([]);
    expect(await ask(page, 'A new chat')).toMatch(/^I see\./);
    expect(await bubbles(page)).toEqual(['A new chat']);
  });

  it('is not there at its address, and leaves neither words nor a draft', async () => {
    const { page, address } = await makeErasable();
    const idle = await openIdle();
    await page.goto(address);
    await page.reload();
    await page.getByText(GONE).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await messageField(page).inputValue()).toBe('');
    await expect.poll(() => readStored(idle, 'messages')).toEqual([]);
    expect(JSON.stringify(await readStored(idle, 'draftTexts'))).not.toContain('secret');
    expect(JSON.stringify(await readStored(idle, 'heads'))).not.toContain(title);
    await page.goBack();
    await page.reload();
    expect(await chat(page, title).count()).toBe(0);
  });

  it('comes back whole from an export', async () => {
    const { page, file } = await makeErasable();
    await page.goto(server.url);
    await page.reload();
    await expect.poll(() => readStored(page, 'messages')).toEqual([]);
    const upload = { name: 'chats.json', mimeType: 'application/json', buffer: Buffer.from(file) };
    await page.getByLabel('Import chats').setInputFiles(upload);
    await page.getByText(/Imported 1 chat\./).waitFor();
    await page.reload();
    await chat(page, title).click();
    await page.getByText('I see.', { exact: true }).waitFor();
    expect(await bubbles(page)).toEqual([title]);
  });

  it('comes back whole if a tab restores it that still shows it', async () => {
    const { page, address } = await makeErasable();
    // Two tabs that do not hear each other. One still shows the chat, the other one erases it.
    await browser.context.addInitScript('delete globalThis.BroadcastChannel');
    const at = { time: Date.now(), tab: 'a' };
    await changeStored(page, 'heads', { deleted: { value: true, at } });
    const showing = await browser.open(address);
    await showing.getByText('This chat was deleted in another tab.').waitFor();
    await showing.getByText('I see.', { exact: true }).waitFor();
    await changeStored(page, 'heads', { deleted: { value: true, at: { ...at, time: at.time - DAY_MS - 1000 } } });
    await page.goto(server.url);
    await page.reload();
    await expect.poll(() => readStored(page, 'messages')).toEqual([]);
    await showing.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(async () => (await readStored(page, 'messages')).length).toBe(2);
    await page.reload();
    await chat(page, title).click();
    await page.getByText('I see.', { exact: true }).waitFor();
    expect(await bubbles(page)).toEqual([title]);
  });
});

describe('a tab that did not hear the others', () => {
  it('has their words when it is seen again, in the open chat and in those that it opens', async () => {
    const page = await open();
    await ask(page, 'First');
    await newChat(page);
    await ask(page, 'Second');
    await browser.context.addInitScript('delete globalThis.BroadcastChannel');
    const deaf = await browser.open(page.url());
    await chat(deaf, 'First').click();
    await replies(deaf).first().waitFor();
    await chat(deaf, 'Second').click();
    await expect.poll(() => bubbles(deaf)).toEqual(['Second']);
    await ask(page, 'More of the second');
    await chat(page, 'First').click();
    await ask(page, 'More of the first');
    await expect.poll(async () => (await readStored(page, 'messages')).length).toBe(8);
    await deaf.evaluate(() => {
      const { getAll } = IDBObjectStore.prototype;
      let reads = 0;
      IDBObjectStore.prototype.getAll = function (...given) {
        if (this.name === 'messages') reads += 1;
        Object.assign(globalThis, { reads });
        return getAll.apply(this, given);
      };
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    });
    await expect.poll(() => bubbles(deaf)).toEqual(['Second', 'More of the second']);
    expect(await deaf.evaluate('reads')).toBe(1);
    await chat(deaf, 'First').click();
    await expect.poll(() => bubbles(deaf)).toEqual(['First', 'More of the first']);
  });
});
