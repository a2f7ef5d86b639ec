import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { openPaddock, request, startPaddockSite } from '../kit/browser/paddock-page.ts';
import { type StaticSite, startStaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;

let site: StaticSite;
let elsewhere: StaticSite;
let browser: TestBrowser;
let page: Page;

/** A page with a form that sends a text to a path of the site. */
const pageWith = (path: string) => `<!doctype html><html lang="en"><title>Form</title>
<form method="post" enctype="text/plain" action="${site.url}${path}"><input name="GGUF" value="x"></form></html>`;

beforeAll(async () => {
  site = await startPaddockSite({ models: inject('modelsFolder') });
  const files = {
    '/import.html': pageWith('/v1/models/import?filename=planted.gguf'),
    '/chat.html': pageWith('/v1/chat/completions'),
  };
  elsewhere = await startStaticSite({ folders: {}, files });
  browser = await launchBrowser();
  page = await openPaddock(browser, site);
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await elsewhere?.stop();
  await site?.stop();
});

/** Sends the form of a page and gives the status and text of what the browser shows then. */
async function sendForm(url: string): Promise<{ status: number | undefined; text: string }> {
  const attacker = await browser.open(url);
  const shown = attacker.waitForNavigation();
  await attacker.evaluate('document.querySelector("form").submit()');
  const response = await shown;
  const text = await attacker.evaluate<string>('document.body.innerText');
  await attacker.close();
  return { status: response?.status(), text };
}

describe('a form of another site', { timeout: TIME_LIMIT_MS }, () => {
  it.each(['import', 'chat'])('changes and asks nothing here: %s', async (name) => {
    const { status, text } = await sendForm(`${elsewhere.url}/${name}.html`);
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'navigation_not_allowed', type: 'permission_error' } });
    // It has not even reached the host of the site.
    expect(site.requests.filter((path) => path.startsWith('/v1'))).toEqual([]);
    const { data } = JSON.parse((await request(page, 'GET', '/v1/models')).text);
    expect(data.map(({ id }: { id: string }) => id)).not.toContain('planted');
  });

  it('leaves addresses of the API to be looked at', async () => {
    const tab = await browser.open(`${site.url}/v1/models`);
    expect(await tab.evaluate('document.body.innerText')).toContain('"object":"list"');
  });
});
