import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { startPaddockSite, untilServed } from '../../../kit/browser/paddock-page.ts';
import type { StaticSite } from '../../../kit/browser/static-site.ts';
import { writePdf } from '../../../kit/files/pdf.ts';
import {
  ask,
  chat,
  chooseModel,
  conversationOf,
  importChats,
  openChat,
  replies,
  say,
  status,
  textOf,
  untilModel,
} from '../support.ts';

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

/** Attaches a PDF, waits for its card and removes it. */
async function readPdf(): Promise<void> {
  const buffer = writePdf([['Words of a paper.']]);
  await page.getByLabel(/^Attach /).setInputFiles({ name: 'paper.pdf', mimeType: 'application/pdf', buffer });
  await page.locator('.file-look', { hasText: 'Words of a paper.' }).waitFor();
  await page.getByRole('button', { name: 'Remove paper.pdf' }).click();
}

interface NotingPage {
  arrivalLabels?: string[];
}

/** Runs in the page. Notes each label of the sign that shows how far a pull or an import is. */
function noteArrivalLabels(): void {
  const labels: string[] = [];
  (globalThis as NotingPage).arrivalLabels = labels;
  new MutationObserver(() => {
    const label = document.querySelector('.arrival-sign')?.getAttribute('aria-label');
    if (label) labels.push(label);
  }).observe(document.body, { childList: true, subtree: true, attributes: true });
}

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
    'counts how full the context is, and leaves out the oldest messages',
    async () => {
      const words = (name: string) => Array.from({ length: 120 }, (_, index) => `${name}${index}`).join(' ');
      const said = (name: string) => [
        { role: 'user', id: `question ${name}`, text: words(name), images: [] },
        { ...conversationOf('', 'I see.').turns[1], id: `answer ${name}` },
      ];
      await importChats(page, [{ ...conversationOf('Long', ''), turns: [...said('a'), ...said('b')] }]);
      await chat(page, 'Long').click();
      const panel = page.getByRole('region', { name: 'The context of this chat' });
      await panel.getByText('A larger window', { exact: true }).click();
      await panel.getByText('Pico was made for 1,024 tokens: a larger window would not help it.').waitFor();
      await panel.getByRole('button', { name: 'Leave them out' }).click();
      await page.getByRole('region', { name: 'Left out' }).getByText('The 2 messages above are left out').waitFor();
      await chat(page, 'Please repeat: hello').click();
    },
    TIME_LIMIT_MS,
  );

  it(
    'says why it can not unload its model, and how much memory that takes',
    async () => {
      await page.locator('.model-button').click();
      const dialog = page.getByRole('dialog', { name: 'Models' });
      await dialog
        .getByTitle('pico', { exact: true })
        .getByText(/^in memory, [\d.]+ MB$/)
        .waitFor();
      await dialog.getByRole('button', { name: 'More about Pico' }).click();
      await dialog.getByText('A browser holds one model').waitFor();
      expect(await dialog.getByRole('button', { name: 'Unload' }).count()).toBe(0);
      await page.keyboard.press('Escape');
    },
    TIME_LIMIT_MS,
  );

  it(
    'imports a model from the disk, and chats with it',
    async () => {
      await page.locator('.model-button').click();
      const dialog = page.getByRole('dialog', { name: 'Models' });
      const file = { name: 'friend.gguf', mimeType: '', buffer: await readFile('models/pico/pico.gguf') };
      await page.evaluate(noteArrivalLabels);
      await dialog.locator('input[type=file]').setInputFiles(file);
      await dialog.getByTitle('friend', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await chooseModel(page, 'friend');
      expect(await ask(page, 'Hello')).not.toBe('');
      const labels = await page.evaluate(() => (globalThis as NotingPage).arrivalLabels);
      expect(new Set(labels?.map((label) => label.split(':')[0]))).toEqual(new Set(['Import of friend.gguf']));
    },
    TIME_LIMIT_MS,
  );

  it(
    'says that an import failed, and why',
    async () => {
      await page.locator('.model-button').click();
      const dialog = page.getByRole('dialog', { name: 'Models' });
      const buffer = Buffer.from('These are words.');
      await dialog.locator('input[type=file]').setInputFiles({ name: 'words.gguf', mimeType: '', buffer });
      await dialog.getByRole('alert').waitFor();
      await page.getByText(/^The import of words\.gguf failed: /).waitFor({ state: 'attached' });
      await dialog.getByRole('button', { name: 'Discard' }).click();
      await page.keyboard.press('Escape');
    },
    TIME_LIMIT_MS,
  );

  it(
    'compares two models, one after the other, and goes on with a reply that was cut off',
    async () => {
      await page.getByRole('button', { name: 'Settings of this chat' }).click();
      await page.getByLabel('Max tokens').fill('1');
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
    'shows its conversation again, continues it and reads PDFs as before without network',
    async () => {
      // What reads them is fetched for the first one, and kept.
      await readPdf();
      const said = await replies(page).count();
      await site.stop();
      await page.reload();
      await untilServed(page);
      await untilModel(page);
      await expect.poll(() => replies(page).count()).toBe(said);
      expect(await ask(page, 'And again')).not.toBe('');
      await readPdf();
    },
    TIME_LIMIT_MS,
  );
});
