import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { startPaddockSite, untilServed } from '../../support/paddock-page.ts';
import { type RunningServer, startServer } from '../../support/server.ts';
import type { StaticSite } from '../../support/static-site.ts';
import { ask, chooseModel, openChat, reload, replies, say, status, textOf, untilModel } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const KEY = 'the-key-of-home';

let site: StaticSite;
let browser: TestBrowser;
let page: Page;
let port: number;
let server: RunningServer | null = null;

/** Starts a Paddock at the same address each time. */
async function startHome(...more: string[]): Promise<void> {
  const flags = ['--models', inject('modelsFolder'), '--backend', 'cpu', '--threads', '1', '--log-level', 'warn'];
  server = await startServer([...flags, '--port', String(port), '--api-key', KEY, ...more]);
}

async function stopHome(): Promise<void> {
  await server?.stop();
  server = null;
}

const openModels = () => page.locator('.model-button').click();
const models = () => page.getByRole('dialog', { name: 'Models' });
const untilStatus = (text: string | RegExp) => expect.poll(() => textOf(status(page))).toMatch(text);

beforeAll(async () => {
  site = await startPaddockSite({ models: inject('modelsFolder') });
  port = await freePort();
  browser = await launchBrowser();
  page = await openChat(browser.open, `${site.url}/`);
  page.setDefaultTimeout(60_000);
  await untilServed(page);
});
afterAll(async () => {
  await browser?.close();
  await stopHome();
  await site?.stop();
});

describe('the page of a static site with the address of a Paddock server', () => {
  it('says what the owner has to set when the server does not let it call', async () => {
    await startHome('--local-pages', 'none');
    await openModels();
    await models().getByText('Use a Paddock server').click();
    await models().getByLabel('Address of the server').fill(`http://127.0.0.1:${port}/v1`);
    await models().getByLabel('Key, if it wants one').fill(KEY);
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await models().getByRole('button', { name: 'Use it' }).click();
    await models().getByText(`Its owner has to start it with --cors-origin ${site.url}`).waitFor();
    await page.keyboard.press('Escape');
    await untilStatus(`In this browser: 127.0.0.1:${port} refuses this page.`);
    expect(await ask(page, 'Hello')).not.toBe('');
  });

  it('uses it as soon as it answers, and keeps the conversation', async () => {
    await stopHome();
    await untilStatus('does not answer');
    await startHome('--cors-origin', site.url);
    await untilStatus(`On 127.0.0.1:${port}.`);
    await page.getByText(`127.0.0.1:${port} answers from now on.`).first().waitFor();
    await chooseModel(page, 'tiny');
    await say(page, 'And from the server?');
    await expect.poll(() => replies(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Stop' }).click();
    await replies(page).last().getByText('Stopped.').waitFor();
    expect((await textOf(replies(page).last().locator('h2'))).toLowerCase()).toContain('tiny');
  });

  it('keeps what a reply has said when the server goes, says why, and asks again in this browser', async () => {
    await say(page, 'Tell me a long story');
    await replies(page).last().getByText('Writing').waitFor();
    if (server) process.kill(server.pid, 'SIGKILL');
    await replies(page).last().getByText(`127.0.0.1:${port} has gone away.`).waitFor();
    expect(await textOf(replies(page).last().locator('.prose'))).not.toBe('');
    await untilStatus(`In this browser: 127.0.0.1:${port} does not answer.`);
    const before = await replies(page).count();
    await replies(page).last().getByRole('button', { name: 'Try again' }).click();
    await replies(page).last().getByRole('button', { name: 'Retry' }).waitFor();
    await expect.poll(() => replies(page).last().getByText('has gone away').count()).toBe(0);
    expect(await replies(page).count()).toBe(before);
  });

  it('finds the server again after a reload, or goes on without it', async () => {
    await reload(page);
    await untilModel(page);
    await untilStatus('does not answer');
    await startHome('--cors-origin', site.url);
    await untilStatus(`On 127.0.0.1:${port}.`);
    await reload(page);
    await untilStatus(`On 127.0.0.1:${port}.`);
    await openModels();
    await models().getByTitle('tiny', { exact: true }).waitFor();
    await models().getByRole('button', { name: 'Use this browser alone' }).click();
    await page.keyboard.press('Escape');
    await untilStatus(/^In this browser\. /);
    expect(await ask(page, 'Hello again')).not.toBe('');
  });
});
