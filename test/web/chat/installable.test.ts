import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { startPaddockSite, untilServed } from '../../support/paddock-page.ts';
import type { StaticSite } from '../../support/static-site.ts';
import { listedModel, type StandIn, startStandIn } from './stand-in.ts';
import { ask, messageField, openChat, readStored, reload, untilModel } from './support.ts';

let server: StandIn;
let site: StaticSite;
let browser: TestBrowser;

beforeAll(async () => {
  server = await startStandIn([listedModel('Words')]);
  site = await startPaddockSite({ models: inject('modelsFolder') });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await site?.stop();
});

describe('the chat page as an app', () => {
  it.each([
    ['a server', () => server.url],
    ['a static site', () => site.url],
  ])('can be installed from %s: the browser finds its manifest and icons without fault', async (_, url) => {
    const page = await browser.open(`${url()}/`);
    const devtools = await browser.devtools(page);
    const { errors, data = '' } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    expect(installabilityErrors).toEqual([]);
    const { icons } = JSON.parse(data) as { icons: { src: string; type: string }[] };
    for (const { src, type } of icons) {
      const reply = await page.request.get(`${url()}/${src}`);
      expect([reply.status(), reply.headers()['content-type']]).toEqual([200, type]);
    }
    await page.close();
  });

  it('has what another app shares in its draft, sends it by nobody but the person, and takes it in once', async () => {
    const shared = new URLSearchParams({ title: 'A headline', text: 'Look at this', url: 'https://example.com/' });
    const page = await openChat(browser.open, `${server.url}/?${shared}`);
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
    const page = await openChat(browser.open, `${site.url}/`);
    await untilServed(page);
    await browser.context.setOffline(true);
    await page.goto(`${site.url}/?text=Written%20offline`);
    await untilModel(page);
    await expect.poll(() => messageField(page).inputValue()).toBe('Written offline');
    await browser.context.setOffline(false);
  });
});
