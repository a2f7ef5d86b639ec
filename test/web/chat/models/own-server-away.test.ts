import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { untilServed } from '../../../kit/browser/paddock-page.ts';
import { createHomeServer, type HomeServer } from '../grounds.ts';
import { ask, modelsDialog, openChat, openModels, replies, untilModel, untilStatus } from '../support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let browser: TestBrowser;
let page: Page;
let home: HomeServer;

beforeAll(async () => {
  home = await createHomeServer();
  await home.start();
  browser = await launchBrowser();
  page = await openChat(browser.open, `http://${home.host}/`);
  page.setDefaultTimeout(60_000);
});
afterAll(async () => {
  await browser?.close();
  await home?.stop();
});

describe('the page of a server', () => {
  it('says when its server does not answer, and when it does again', async () => {
    await untilStatus(page, /^On the server\./);
    await home.stop();
    await untilStatus(page, 'The server does not answer.');
    await home.start();
    await untilStatus(page, /^On the server\./);
  });
});

describe('the page of a server, with an engine kept in the browser', () => {
  it('goes on with the server after the engine was fetched, under the same policy', async () => {
    await openModels(page);
    await modelsDialog(page).getByText('When the server is away').click();
    await modelsDialog(page).getByRole('button', { name: 'Keep an engine here' }).click();
    await untilServed(page);
    await untilModel(page);
    await untilStatus(page, `On ${home.host}.`);
    expect(await ask(page, 'Please repeat: server')).not.toBe('');
    const policy = await page.evaluate(async () => (await fetch('/')).headers.get('content-security-policy'));
    expect(policy).toContain("connect-src 'self'");
    expect(await page.evaluate(() => fetch('http://127.0.0.1:9/', { mode: 'no-cors' }).then(String, String))).toContain(
      'TypeError',
    );
  });

  it('answers by itself when the server is away, also after a reload, and by the server when it is back', async () => {
    await home.stop();
    await untilStatus(page, 'does not answer');
    expect(await ask(page, 'Please repeat: browser')).not.toBe('');
    await page.reload();
    await untilModel(page);
    await untilStatus(page, 'does not answer');
    await expect.poll(() => replies(page).count()).toBe(2);
    await home.start();
    await untilStatus(page, `On ${home.host}.`);
    expect(await ask(page, 'Please repeat: again')).not.toBe('');
  });

  it('can be without one again', async () => {
    await openModels(page);
    await modelsDialog(page).getByRole('button', { name: 'Use the server alone' }).click();
    await untilStatus(page, /^On the server\./);
    expect(await page.evaluate(() => navigator.serviceWorker.controller === null)).toBe(true);
  });
});
