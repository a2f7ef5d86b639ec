import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import { startPaddockSite, untilServed } from '../../../kit/browser/paddock-page.ts';
import type { StaticSite } from '../../../kit/browser/static-site.ts';
import { createHomeServer, type HomeServer } from '../grounds.ts';
import {
  ask,
  chooseModel,
  modelsDialog,
  openChat,
  openModels,
  reload,
  replies,
  say,
  textOf,
  untilModel,
  untilStatus,
} from '../support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const KEY = 'the-key-of-home';

let site: StaticSite;
let browser: TestBrowser;
let page: Page;
let home: HomeServer;

const startHome = (...flags: string[]) => home.start('--api-key', KEY, ...flags);

beforeAll(async () => {
  site = await startPaddockSite({ models: inject('modelsFolder') });
  home = await createHomeServer();
  browser = await launchBrowser();
  page = await openChat(browser.open, `${site.url}/`);
  page.setDefaultTimeout(60_000);
  await untilServed(page);
});
afterAll(async () => {
  await browser?.close();
  await home?.stop();
  await site?.stop();
});

describe('the page of a static site with the address of a Paddock server', () => {
  it('says what the owner has to set when the server does not let it call', async () => {
    await startHome('--local-pages', 'none');
    await openModels(page);
    await modelsDialog(page).getByText('Use a Paddock server').click();
    await modelsDialog(page).getByLabel('Address of the server').fill(`http://${home.host}/v1`);
    await modelsDialog(page).getByLabel('Key, if it wants one').fill(KEY);
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await modelsDialog(page).getByRole('button', { name: 'Use it' }).click();
    await modelsDialog(page).getByText(`Its owner has to start it with --cors-origin ${site.url}`).waitFor();
    await page.keyboard.press('Escape');
    await untilStatus(page, `In this browser: ${home.host} refuses this page.`);
    expect(await ask(page, 'Hello')).not.toBe('');
  });

  it('uses it as soon as it answers, and keeps the conversation', async () => {
    await home.stop();
    await untilStatus(page, 'does not answer');
    await startHome('--cors-origin', site.url);
    await untilStatus(page, `On ${home.host}.`);
    await page.getByText(`${home.host} answers from now on.`).first().waitFor();
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
    home.kill();
    await replies(page).last().getByText(`${home.host} has gone away.`).waitFor();
    expect(await textOf(replies(page).last().locator('.prose'))).not.toBe('');
    await untilStatus(page, `In this browser: ${home.host} does not answer.`);
    const before = await replies(page).count();
    await replies(page).last().getByRole('button', { name: 'Try again' }).click();
    await replies(page).last().getByRole('button', { name: 'Retry' }).waitFor();
    await expect.poll(() => replies(page).last().getByText('has gone away').count()).toBe(0);
    expect(await replies(page).count()).toBe(before);
  });

  it('finds the server again after a reload, or goes on without it', async () => {
    await reload(page);
    await untilModel(page);
    await untilStatus(page, 'does not answer');
    await startHome('--cors-origin', site.url);
    await untilStatus(page, `On ${home.host}.`);
    await reload(page);
    await untilStatus(page, `On ${home.host}.`);
    await openModels(page);
    await modelsDialog(page).getByTitle('tiny', { exact: true }).waitFor();
    await modelsDialog(page).getByRole('button', { name: 'Use this browser alone' }).click();
    await page.keyboard.press('Escape');
    await untilStatus(page, /^In this browser\. /);
    expect(await ask(page, 'Hello again')).not.toBe('');
  });
});
