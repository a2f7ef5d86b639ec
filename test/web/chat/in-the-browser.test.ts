import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { startPaddockSite, untilServed } from '../../support/paddock-page.ts';
import type { StaticSite } from '../../support/static-site.ts';
import { ask, chooseModel, openChat, replies, status, textOf, untilModel } from './support.ts';

const TIME_LIMIT_MS = 120_000;

let site: StaticSite;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  site = await startPaddockSite({ models: inject('modelsFolder') });
  browser = await launchBrowser();
  page = await openChat(browser.open, `${site.url}/`);
  page.setDefaultTimeout(60_000);
  await untilServed(page);
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

describe('the chat page on a static host', () => {
  it(
    'chats with the built-in model and says what it runs on',
    async () => {
      expect(await ask(page, 'Please repeat: hello')).not.toBe('');
      await expect.poll(() => textOf(status(page))).toMatch(/in this browser/i);
    },
    TIME_LIMIT_MS,
  );

  it(
    'imports a model from the disk, and chats with it',
    async () => {
      await page.locator('.model-button').click();
      const dialog = page.getByRole('dialog', { name: 'Models' });
      const file = { name: 'friend.gguf', mimeType: '', buffer: await readFile('models/pico/pico.gguf') };
      await dialog.locator('input[type=file]').setInputFiles(file);
      await dialog.getByTitle('friend', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await chooseModel(page, 'friend');
      expect(await ask(page, 'Hello')).not.toBe('');
    },
    TIME_LIMIT_MS,
  );

  it(
    'shows its conversation again and continues it without network',
    async () => {
      const said = await replies(page).count();
      await site.stop();
      await page.reload();
      await untilServed(page);
      await untilModel(page);
      await expect.poll(() => replies(page).count()).toBe(said);
      expect(await ask(page, 'And again')).not.toBe('');
    },
    TIME_LIMIT_MS,
  );
});
