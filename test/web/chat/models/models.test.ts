import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type TestBrowser } from '../../../kit/browser/browser.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startHub, type TestHub } from '../../../kit/servers/test-hub.ts';
import { startChatServer } from '../grounds.ts';
import { ask, chooseModel, exceptionsOf, openChat, reload, textOf } from '../support.ts';

const REPO = 'org/friend-GGUF';
const LONG = { timeout: 40_000 };
vi.setConfig({ testTimeout: 120_000 });

let home: string;
let hub: TestHub;
let server: RunningServer;
let browser: TestBrowser;
let page: Page;
let failures: string[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'paddock-chat-models-'));
  hub = await startHub();
  const pico = await readFile('models/pico/pico.gguf');
  for (const quant of ['Q4_K_M', 'Q8_0', 'Q6_K']) hub.put(REPO, `friend-${quant}.gguf`, pico);
  hub.put(REPO, 'friend-F16.gguf', { bytes: pico, listedSize: 9e12 });
  hub.put('other/friend-GGUF', 'friend.gguf', pico);
  hub.count(REPO, 1_234_567);
  server = await startChatServer(['--allow-private-sources'], {
    models: join(home, 'models'),
    env: { HF_ENDPOINT: hub.url, PADDOCK_HOME: home },
  });
  browser = await launchBrowser();
  page = await openChat(browser.open, server.url);
  page.setDefaultTimeout(LONG.timeout);
  failures = exceptionsOf(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await hub?.close();
  await rm(home, { recursive: true });
});

afterEach(async () => {
  if (await dialog().isVisible()) await page.keyboard.press('Escape');
});

const dialog = () => page.getByRole('dialog', { name: 'Models' });
const openModels = () => page.locator('.model-button').click();
const sign = () => page.getByRole('button', { name: /^Download of / });
const variants = () => dialog().getByRole('region', { name: `Variants of ${REPO}` });

async function find(text: string): Promise<void> {
  await dialog().getByRole('searchbox').fill(text);
  await dialog().getByRole('button', { name: 'Find' }).click();
}

/** Opens what can be done with a model. */
async function more(name: string) {
  const box = dialog().getByRole('group', { name: `More about ${name}` });
  if (!(await box.isVisible()))
    await dialog()
      .getByRole('button', { name: `More about ${name}`, exact: true })
      .click();
  return box;
}

describe('models of a hub', () => {
  it('are found by words, and shown with their sizes, what fits, and the best of that', async () => {
    await openModels();
    await find('no such name');
    await dialog().getByText('Nothing with GGUF files has “no such name” in its name.').waitFor();
    await find('friend');
    const found = dialog().getByRole('list', { name: 'Found' }).getByRole('button');
    await found.first().waitFor();
    expect(await found.allTextContents()).toEqual([`${REPO}1.2M downloads`, 'other/friend-GGUF0 downloads']);
    await found.first().click();
    await variants().getByRole('listitem').first().waitFor();
    const rows = await variants().getByRole('listitem').allTextContents();
    expect(rows.map((row) => row.replace(/Pull$/, ''))).toEqual([
      expect.stringMatching(/^Q4_K_Mbest here[\d.]+ MB · fits$/),
      expect.stringMatching(/^Q8_0[\d.]+ MB · fits$/),
      expect.stringMatching(/^Q6_K[\d.]+ MB · fits$/),
      expect.stringMatching(/^F169[\d.]+ TB · too large for this memory$|^F16[\d.,]+ GB · too large for this memory$/),
    ]);
    await variants().getByRole('button', { name: 'Back to the list' }).click();
    expect(await found.count()).toBe(2);
  });

  it('are understood as people paste them', async () => {
    await openModels();
    for (const pasted of [`${REPO}:Q8_0`, `https://huggingface.co/${REPO}/blob/main/friend-Q8_0.gguf`]) {
      await find(pasted);
      const best = variants().getByRole('listitem').filter({ hasText: 'best here' });
      await best.getByRole('button', { name: 'Pull Q8_0' }).waitFor();
    }
    await find(hub.putFile('elsewhere.gguf', new Uint8Array(1000)));
    await dialog().getByRole('button', { name: 'Pull elsewhere.gguf' }).waitFor();
    await find('org/nowhere');
    await dialog().getByRole('alert').getByText('org/nowhere was not found').waitFor();
  });

  it('arrive while the dialog is closed, pause, survive a reload, and go on', async () => {
    hub.fail('content', 'friend-Q8_0.gguf', { kind: 'slow', pieces: 400, pauseMs: 100 }, 1);
    await openModels();
    await find(REPO);
    await variants().getByRole('button', { name: 'Pull Q8_0' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => textOf(sign())).toMatch(/^[1-9]\d* %.*\/s/);
    await sign().click();
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => textOf(sign())).toMatch(/^Paused [1-9]\d* %/);
    await reload(page);
    await sign()
      .getByText(/^Paused [1-9]\d* %/)
      .waitFor();
    await sign().click();
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Pico is ready.').waitFor();
    await sign().waitFor({ state: 'detached' });
    const again = hub.requests.filter(({ stage, path }) => stage === 'content' && path === 'friend-Q8_0.gguf');
    expect(again.at(-1)?.range).toMatch(/^bytes=[1-9]/);
  });

  it('go on by themselves when the page is loaded again', async () => {
    hub.fail('content', 'friend-Q6_K.gguf', { kind: 'slow', pieces: 400, pauseMs: 100 }, 1);
    await openModels();
    await find(REPO);
    await variants().getByRole('button', { name: 'Pull Q6_K' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => textOf(sign())).toMatch(/^[1-9]\d* %/);
    await reload(page);
    await page.getByText('Pico is ready.').waitFor();
  });

  it('say what went wrong with them outside the dialog, and try again', async () => {
    hub.fail('resolve', 'friend-Q4_K_M.gguf', { kind: 'status', status: 404 }, 1);
    await openModels();
    await find(REPO);
    await variants().getByRole('button', { name: 'Pull Q4_K_M' }).click();
    await page.keyboard.press('Escape');
    await sign().getByText('Failed').waitFor();
    await sign().click();
    await dialog()
      .getByRole('alert')
      .getByText(/^The download failed: /)
      .waitFor();
    await dialog().getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Pico is ready.').waitFor();
  });
});

describe('models that are here', () => {
  it('are told apart if they have one name', async () => {
    await chooseModel(page, `${REPO}:Q8_0`);
    await page.locator('.model-name', { hasText: `Pico (${REPO}:Q8_0)` }).waitFor();
    expect(await ask(page, 'Hello')).not.toBe('');
  });

  it('are loaded and unloaded, with the memory that they take', async () => {
    await openModels();
    // The server has loaded pico at its start, and the other one for the question before.
    await dialog()
      .getByText(/^2 models in memory/)
      .waitFor();
    const row = dialog().getByTitle('pico', { exact: true });
    const pico = await more('Pico (pico)');
    await pico.getByRole('button', { name: 'Unload' }).click();
    await row.getByText(/^in memory/).waitFor({ state: 'detached' });
    await dialog()
      .getByText(/^1 model in memory: [\d.]+ MB · [\d.]+ GB free\.$/)
      .waitFor();
    expect(await textOf(row)).not.toContain('in memory');
    await pico.getByRole('button', { name: 'Load' }).click();
    await row.getByText(/^in memory, [\d.]+ MB$/).waitFor();
    await page.keyboard.press('Escape');
  });

  it('are the default for new chats if a person wants so, after a reload as well', async () => {
    await openModels();
    const box = await more(`Pico (${REPO}:Q6_K)`);
    await box.getByRole('button', { name: 'Use for new chats' }).click();
    await dialog().getByTitle(`${REPO}:Q6_K`, { exact: true }).getByText('for new chats').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.locator('.model-name', { hasText: 'Q6_K' }).waitFor();
    await chooseModel(page, 'pico');
    await reload(page);
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.locator('.model-name', { hasText: 'Q6_K' }).waitFor();
  });

  it('had no errors', () => {
    expect(failures).toEqual([]);
  });
});
