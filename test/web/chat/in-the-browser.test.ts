import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { startPaddockSite, untilServed } from '../../support/paddock-page.ts';
import type { StaticSite } from '../../support/static-site.ts';
import { ask, chooseModel, openChat, replies, say, status, textOf, untilModel } from './support.ts';

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
    'compares two models, one after the other, and goes on with a reply that was cut off',
    async () => {
      await page.getByRole('button', { name: 'Settings of this chat' }).click();
      await page.getByLabel('Longest reply').fill('1');
      await page.keyboard.press('Tab');
      await page.getByLabel('Compare with').selectOption('pico');
      await page.keyboard.press('Escape');
      await say(page, 'Please repeat: one two three');
      const both = page.getByRole('group', { name: 'Two replies to compare' });
      await both.getByText('Cut off').nth(1).waitFor();
      await page.getByRole('button', { name: 'Go on with this one by Pico (pico)' }).click();
      await both.waitFor({ state: 'detached' });
      const words = replies(page).last().locator('.prose');
      const before = await textOf(words);
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await expect.poll(async () => (await textOf(words)).length).toBeGreaterThan(before.length);
      expect((await textOf(words)).startsWith(before)).toBe(true);
      await page.getByRole('button', { name: 'Settings of this chat' }).click();
      await page.getByLabel('Compare with').selectOption('');
      await page.getByRole('button', { name: 'Reset all' }).click();
      await page.keyboard.press('Escape');
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
