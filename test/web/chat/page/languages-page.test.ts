import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestBrowser } from '../../../kit/browser/browser.ts';
import { type BothGrounds, GROUNDS, openBothGrounds } from '../grounds.ts';
import { reload } from '../support.ts';

let grounds: BothGrounds;
let browser: TestBrowser;

beforeAll(async () => {
  grounds = await openBothGrounds({ locale: 'de-DE' });
  ({ browser } = grounds);
});
afterAll(() => grounds?.close());

/** How far the page can be scrolled sideways, in px. */
const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

describe('the language of the page', () => {
  it.each(GROUNDS)(
    'from %s is that of the browser, until a person chooses another one, in all tabs',
    async (_, ground) => {
      const page = await browser.open(grounds.urls[ground]);
      await page.setViewportSize({ width: 1280, height: 800 });
      const html = page.locator('html');
      const german = page.getByRole('textbox', { name: 'Nachricht', exact: true });
      await german.waitFor();
      expect(await html.getAttribute('lang')).toBe('de');
      const other = await browser.open(grounds.urls[ground]);
      const greeting = other.locator('.greeting h2');
      await other.getByText('Sprich mit').waitFor();

      await german.fill('Noch nicht gesendet');
      await page.getByRole('combobox', { name: 'Sprache' }).selectOption('中文');
      const chinese = page.getByRole('textbox', { name: '消息', exact: true });
      await chinese.waitFor();
      expect(await chinese.inputValue()).toBe('Noch nicht gesendet');
      await expect.poll(() => greeting.textContent()).toContain('对话');
      await other.close();

      await reload(page);
      await chinese.waitFor();
      expect(await html.getAttribute('lang')).toBe('zh-Hans');
      await expect.poll(() => chinese.inputValue()).toBe('Noch nicht gesendet');
      await page.close();
    },
  );

  it.each(['de', 'zh'])('fits a small phone in %s', async (language) => {
    const page = await browser.open(grounds.urls.server);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.evaluate((id) => localStorage.setItem('paddock-language', id), language);
    await page.reload();
    await page.locator('.greeting').waitFor();
    expect(await overflow(page)).toBe(0);
    for (const button of ['.menu-button', '.model-button', '.top-bar .icon-button:last-child']) {
      await page.locator(button).click();
      const dialog = page.locator('dialog[open]');
      await dialog.waitFor();
      await dialog.evaluate((element) => {
        for (const details of element.querySelectorAll('details')) details.open = true;
      });
      expect(await overflow(page)).toBe(0);
      expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await page.close();
  });

  it('is English where its file can not be fetched', async () => {
    const page = await browser.open('about:blank');
    await page.route('**/languages/de.js', (route) => route.abort());
    await page.goto(grounds.urls.server);
    await page.evaluate(() => localStorage.removeItem('paddock-language'));
    await page.reload();
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.close();
  });
});
