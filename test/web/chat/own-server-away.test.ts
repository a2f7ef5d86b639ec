import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { untilServed } from '../../support/paddock-page.ts';
import { type RunningServer, startServer } from '../../support/server.ts';
import { ask, openChat, replies, status, textOf, untilModel } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let browser: TestBrowser;
let page: Page;
let port: number;
let server: RunningServer | null = null;

async function startHome(): Promise<void> {
  const flags = ['--models', inject('modelsFolder'), '--backend', 'cpu', '--threads', '1', '--log-level', 'warn'];
  server = await startServer([...flags, '--port', String(port)]);
}

async function stopHome(): Promise<void> {
  await server?.stop();
  server = null;
}

const openModels = () => page.locator('.model-button').click();
const models = () => page.getByRole('dialog', { name: 'Models' });
const untilStatus = (text: string | RegExp) => expect.poll(() => textOf(status(page))).toMatch(text);

beforeAll(async () => {
  port = await freePort();
  await startHome();
  browser = await launchBrowser();
  page = await openChat(browser.open, `http://127.0.0.1:${port}/`);
  page.setDefaultTimeout(60_000);
});
afterAll(async () => {
  await browser?.close();
  await stopHome();
});

describe('the page of a server', () => {
  it('says when its server does not answer, and when it does again', async () => {
    await untilStatus(/^On the server\./);
    await stopHome();
    await untilStatus('The server does not answer.');
    await startHome();
    await untilStatus(/^On the server\./);
  });
});

describe('the page of a server, with an engine kept in the browser', () => {
  it('goes on with the server after the engine was fetched, under the same policy', async () => {
    await openModels();
    await models().getByText('When the server is away').click();
    await models().getByRole('button', { name: 'Keep an engine here' }).click();
    await untilServed(page);
    await untilModel(page);
    await untilStatus(`On 127.0.0.1:${port}.`);
    expect(await ask(page, 'Please repeat: server')).not.toBe('');
    const policy = await page.evaluate(async () => (await fetch('/')).headers.get('content-security-policy'));
    expect(policy).toContain("connect-src 'self'");
    expect(await page.evaluate(() => fetch('http://127.0.0.1:9/', { mode: 'no-cors' }).then(String, String))).toContain(
      'TypeError',
    );
  });

  it('answers by itself when the server is away, also after a reload, and by the server when it is back', async () => {
    await stopHome();
    await untilStatus('does not answer');
    expect(await ask(page, 'Please repeat: browser')).not.toBe('');
    await page.reload();
    await untilModel(page);
    await untilStatus('does not answer');
    await expect.poll(() => replies(page).count()).toBe(2);
    await startHome();
    await untilStatus(`On 127.0.0.1:${port}.`);
    expect(await ask(page, 'Please repeat: again')).not.toBe('');
  });

  it('can be without one again', async () => {
    await openModels();
    await models().getByRole('button', { name: 'Use the server alone' }).click();
    await untilStatus(/^On the server\./);
    expect(await page.evaluate(() => navigator.serviceWorker.controller === null)).toBe(true);
  });
});
