import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestBrowser } from '../../../kit/browser/browser.ts';
import { untilServed } from '../../../kit/browser/paddock-page.ts';
import { type BothGrounds, GROUNDS, openBothGrounds } from '../grounds.ts';
import { ask, messageField, openChat, readStored, reload, untilModel } from '../support.ts';

let grounds: BothGrounds;
let browser: TestBrowser;

beforeAll(async () => {
  grounds = await openBothGrounds();
  ({ browser } = grounds);
});
afterAll(() => grounds?.close());

describe('the chat page as an app', () => {
  it.each(GROUNDS)(
    'can be installed from %s: the browser finds its manifest and icons without fault',
    async (_, ground) => {
      const page = await browser.open(grounds.urls[ground]);
      const devtools = await browser.devtools(page);
      const { errors, data = '' } = await devtools.send('Page.getAppManifest');
      expect(errors).toEqual([]);
      const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
      expect(installabilityErrors).toEqual([]);
      const { icons } = JSON.parse(data) as { icons: { src: string; type: string }[] };
      for (const { src, type } of icons) {
        const reply = await page.request.get(`${grounds.urls[ground]}${src}`);
        expect([reply.status(), reply.headers()['content-type']]).toEqual([200, type]);
      }
      await page.close();
    },
  );

  it('has what another app shares in its draft, sends it by nobody but the person, and takes it in once', async () => {
    const shared = new URLSearchParams({ title: 'A headline', text: 'Look at this', url: 'https://example.com/' });
    const page = await openChat(browser.open, `${grounds.urls.server}?${shared}`);
    const text = 'A headline\nLook at this\nhttps://example.com/';
    await expect.poll(() => messageField(page).inputValue()).toBe(text);
    expect(new URL(page.url()).search).toBe('');
    expect(await readStored(page, 'messages')).toEqual([]);
    await reload(page);
    await untilModel(page);
    await expect.poll(() => messageField(page).inputValue()).toBe(text);
    await messageField(page).fill('');
    expect(await ask(page, 'Something else')).toBe('I see.');
  });

  it('opens without a network where a service worker keeps it', async () => {
    const page = await openChat(browser.open, grounds.urls.site);
    await untilServed(page);
    await browser.context.setOffline(true);
    await page.goto(`${grounds.urls.site}?text=Written%20offline`);
    await untilModel(page);
    await expect.poll(() => messageField(page).inputValue()).toBe('Written offline');
    await browser.context.setOffline(false);
  });
});
