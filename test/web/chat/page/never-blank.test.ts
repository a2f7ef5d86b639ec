import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { listContent } from '../../../kit/browser/list-content.ts';
import { importInPage, request, startPaddockSite, untilServed } from '../../../kit/browser/paddock-page.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startChatServer } from '../grounds.ts';
import {
  ask,
  conversationOf,
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

const PHONE = 'paddock.example';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let server: RunningServer;

beforeAll(async () => {
  server = await startChatServer(['--allowed-host', PHONE]);
});
afterAll(async () => {
  await server?.stop();
});

/**
 * Runs in the page. Denies storage as Chromium does when a person blocks it: the headless one of the tests has no such
 * setting. Firefox has, in `firefox.test.ts`.
 */
function denyStorage(): void {
  const deny = () => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  };
  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(globalThis, name, { get: deny });
  IDBFactory.prototype.open = deny;
  CacheStorage.prototype.open = async () => deny();
  ServiceWorkerContainer.prototype.register = async () => deny();
}

/** Opens a tab and notes the errors of its page. */
async function openWatched(browser: TestBrowser, url: string): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.context.newPage();
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  return { page, errors };
}

describe('on another device, over plain http,', () => {
  let browser: TestBrowser;
  const at = (url: string) => url.replace('127.0.0.1', PHONE);

  beforeAll(async () => {
    browser = await launchBrowser({ flags: [`--host-resolver-rules=MAP ${PHONE} 127.0.0.1`] });
  });
  afterAll(async () => {
    await browser?.close();
  });

  it('the page of a server chats, copies, makes versions, and keeps its chats over a reload', async () => {
    const { page, errors } = await openWatched(browser, at(server.url));
    await untilModel(page);
    expect(await page.evaluate(() => [isSecureContext, 'randomUUID' in crypto])).toEqual([false, false]);
    const said = await ask(page, 'Hello');
    expect(said).not.toBe('');
    await page.getByRole('button', { name: 'Copy the reply' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await messageField(page).focus();
    await page.keyboard.press('ControlOrMeta+V');
    await expect.poll(async () => (await messageField(page).inputValue()).trim()).not.toBe('');
    await messageField(page).fill('');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('2/2').waitFor();
    await reload(page);
    await page.getByText('2/2').waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('the static site says that it needs https, and keeps what was said', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    const { page, errors } = await openWatched(browser, at(site.url));
    await page
      .getByRole('alert')
      .getByText(/by https/)
      .waitFor();
    // A second try can't help, and nothing goes anywhere.
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await page.getByText('What you say').count()).toBe(0);
    await say(page, 'Can you hear me?');
    await page.getByText(/Kept\. The answer is asked for/).waitFor();
    await page.reload();
    await page.locator('.bubble', { hasText: 'Can you hear me?' }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('where the browser stores nothing,', () => {
  let browser: TestBrowser;

  beforeAll(async () => {
    browser = await launchBrowser();
    await browser.context.addInitScript(denyStorage);
  });
  afterAll(async () => {
    await browser?.close();
  });

  it('the page of a server chats, and says that chats last until it is closed', async () => {
    const { page, errors } = await openWatched(browser, server.url);
    await untilModel(page);
    const denied = await page.evaluate(() => {
      try {
        return localStorage.length;
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(denied).toBe('SecurityError');
    await page
      .locator('.greeting')
      .getByText(/keeps nothing for this page/)
      .waitFor();
    expect(await ask(page, 'Hello')).not.toBe('');
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('navigation').getByRole('button', { name: 'Hello', exact: true }).click();
    expect(await replies(page).count()).toBe(1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain('Hello');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('the static site says what it needs', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    const { page, errors } = await openWatched(browser, site.url);
    await page
      .getByRole('alert')
      .getByText(/lets the site store nothing.*Allow/)
      .waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('where the browser keeps no files, as in many private windows,', () => {
  it('the static site chats with the built-in model, and says why it takes no others', async () => {
    const denied = "Object.defineProperty(navigator, 'storage', { get: () => undefined });\n";
    const script = await readFile('dist-web/service-worker.js', 'utf8');
    const worker = await readFile('dist-web/paddock/models-worker.js', 'utf8');
    const deniedWorker = denied + worker;
    const deniedScript = denied + listContent(script, worker, deniedWorker);
    await using site = await startPaddockSite({
      models: inject('modelsFolder'),
      files: { '/service-worker.js': deniedScript, '/paddock/models-worker.js': deniedWorker },
    });
    await using browser = await launchBrowser();
    await browser.context.addInitScript(denied);
    const { page, errors } = await openWatched(browser, site.url);
    await untilServed(page);
    await untilModel(page);
    expect(await ask(page, 'Hello')).not.toBe('');
    expect(JSON.parse((await request(page, 'GET', '/v1/models')).text).data).toHaveLength(1);
    const imported = await page.evaluate(importInPage, { filename: 'tiny.gguf', apiKey: '' });
    expect(imported.text).toMatch(/lets the site keep no files/);
    expect(errors).toEqual([]);
  });
});

describe('what is typed', () => {
  let browser: TestBrowser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it('before the page is ready is sent when it is', async () => {
    const page = await browser.context.newPage();
    page.setDefaultTimeout(60_000);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/openapi.json', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(server.url);
    await say(page, 'Am I early?');
    await page.getByText(/Kept\. The answer is asked for/).waitFor();
    expect(await messageField(page).inputValue()).toBe('');
    release();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await page.locator('.bubble').allInnerTexts()).toEqual(['Am I early?']);
    await page.close();
  });

  it('and sent before the reload of a first visit gets its answer after it, and a draft is still there', async () => {
    for (const isSent of [true, false]) {
      await using site = await startPaddockSite({ models: inject('modelsFolder') });
      const release = site.hold('/paddock/wllama.wasm');
      await using fresh = await launchBrowser();
      const { page } = await openWatched(fresh, site.url);
      await page.getByText(/Fetching [\d.]+ .?B of [\d.]+ MB: the engine and a small model/).waitFor();
      if (isSent) await say(page, 'Am I early?');
      else await messageField(page).pressSequentially('A half sent');
      release();
      await untilServed(page);
      await untilModel(page);
      if (isSent) await page.getByRole('button', { name: 'Retry' }).waitFor();
      else expect(await messageField(page).inputValue()).toBe('A half sent');
      expect(await page.locator('.bubble').allInnerTexts()).toEqual(isSent ? ['Am I early?'] : []);
    }
  });

  it('is all there when the reload of a first visit comes in the middle of it', async () => {
    const said = 'I am typing on and on, whatever this page may be doing meanwhile.';
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using fresh = await launchBrowser();
    const { page } = await openWatched(fresh, site.url);
    await messageField(page).waitFor();
    // Keys go to whatever has the focus, as those of a person do.
    await page.keyboard.type(said, { delay: 100 });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await page.locator('.bubble').allInnerTexts()).toEqual([said]);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  });

  it('and not sent belongs to its chat, and survives a reload', async () => {
    const page = await openChat(browser.open, server.url);
    page.setDefaultTimeout(60_000);
    await ask(page, 'First chat');
    await messageField(page).fill('a thought for the first');
    await page.getByRole('button', { name: 'New chat' }).click();
    expect(await messageField(page).inputValue()).toBe('');
    await messageField(page).fill('a thought for a new one');
    await page.getByRole('navigation').getByRole('button', { name: 'First chat', exact: true }).click();
    await expect.poll(() => messageField(page).inputValue()).toBe('a thought for the first');
    await reload(page);
    await expect.poll(() => messageField(page).inputValue()).toBe('a thought for the first');
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => messageField(page).inputValue()).toBe('a thought for a new one');
    await messageField(page).fill('');
    await page.close();
  });
});

describe('a first visit', () => {
  it('whose files can not all be had says so, and goes on when it is tried again', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using browser = await launchBrowser();
    site.failing.add('/paddock/wllama.wasm');
    const { page } = await openWatched(browser, site.url);
    const alert = page.getByRole('alert').filter({ hasText: 'could not be set up' });
    await alert.waitFor();
    expect(await textOf(alert)).toMatch(/paddock\/wllama\.wasm can not be fetched: the status is 500\./);
    expect(await textOf(status(page))).toBe('Paddock is not there.');
    await say(page, 'Hello?');
    site.failing.clear();
    site.requests.length = 0;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await untilServed(page);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(site.requests).not.toContain('/paddock/models/pico.gguf');
  });

  it('fetches nothing that this browser does not use, and each large file once', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using browser = await launchBrowser();
    const { page } = await openWatched(browser, site.url);
    await untilServed(page);
    await untilModel(page);
    const large = site.requests.filter((path) => /\.(?:wasm|gguf)$/.test(path)).toSorted();
    expect(large).toEqual(['/paddock/models/pico.gguf', '/paddock/wllama.wasm']);
  });
});

describe('LaTeX in a reply', () => {
  it('is set, whichever way it is marked, and money stays money', async () => {
    await using browser = await launchBrowser();
    const page = await openChat(browser.open, server.url);
    const formulas = [
      '\\(O(n^2)\\)',
      '\\[\\int_0^1 x\\,dx\\]',
      '$$a_1 * b_1 * c_1$$',
      '$e_i * e_j$',
      '\\[\n\\frac{a}{b} \\\\\nc\n\\]',
    ];
    const text = `Sorting takes ${formulas[0]}. And ${formulas[1]} or ${formulas[2]}, ${formulas[3]}.\n\n${formulas[4]}\n\nIt costs $5 *or* $6.`;
    await importChats(page, [conversationOf('Formulas', text)]);
    await page.getByRole('navigation').getByRole('button', { name: 'Formulas', exact: true }).click();
    const prose = replies(page).first().locator('.prose');
    await expect.poll(() => prose.locator('.katex').count()).toBe(formulas.length);
    expect(await textOf(prose.locator('em'))).toBe('or');
    expect(await textOf(prose)).toContain('It costs $5 or $6.');
    await page.close();
  });
});
