import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElementHandle } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { FIREFOX, type FirefoxTab, launchFirefox } from '../../../kit/browser/firefox.ts';
import { eventsOf, importInPage, startPaddockSite } from '../../../kit/browser/paddock-page.ts';
import { writePdf } from '../../../kit/files/pdf.ts';
import type { RunningServer } from '../../../kit/servers/server.ts';
import { startChatServer } from '../grounds.ts';
import { conversationOf } from '../support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let server: RunningServer;

const openModels = (tab: FirefoxTab) => tab.page.locator('.model-button').click();

/** Writes a file for the time of a test. Returns its path. */
async function fileOf(name: string, content: string | Uint8Array | object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const isText = typeof content === 'string' || content instanceof Uint8Array;
  await writeFile(join(folder, name), isText ? content : JSON.stringify(content));
  return join(folder, name);
}

// Where there is no Firefox, the tests are skipped: it is no package of npm.
describe.skipIf(FIREFOX === null)('the chat page in Firefox', () => {
  beforeAll(async () => {
    server = await startChatServer();
  });
  afterAll(async () => {
    await server?.stop();
  });

  it('of a server chats, makes versions, and keeps chats and drafts over a reload', async () => {
    await using firefox = await launchFirefox();
    const tab = await firefox.open(server.url);
    await tab.untilText(/Talk to/);
    await tab.say('Hello Firefox');
    await tab.untilText(/first after/);
    await tab.click('Retry');
    await tab.untilText(/2\/2/);
    await tab.page.type('#message', 'not sent yet');
    await tab.page.reload();
    const text = await tab.untilText(/2\/2/);
    expect(text).toContain('Hello Firefox');
    await tab.untilDraft('not sent yet');
    expect(tab.errors).toEqual([]);
  });

  it('of a server reads files of text and PDFs, and offers prompts', async () => {
    const files = [
      await fileOf('paper.pdf', writePdf([['Words of a paper.']])),
      await fileOf('sum.py', 'print(1 + 1)'),
    ];
    await using firefox = await launchFirefox();
    const tab = await firefox.open(server.url);
    await tab.untilText(/Talk to/);
    const input = await tab.page.$('.composer input[type=file]');
    await (input as ElementHandle<HTMLInputElement>).uploadFile(...files);
    await tab.untilText(/Words of a paper\..*print\(1 \+ 1\)/s);
    await tab.say('/');
    await tab.untilText(/New prompt/);
    expect(tab.errors).toEqual([]);
  });

  it('of a server goes on with a reply, edits it, deletes it and brings it back, and compares two models', async () => {
    const talk = conversationOf('Steered', 'Once upon a ti', { model: 'tiny', end: { kind: 'stopped' } });
    const settings = { system: '', tools: '', sampling: { max_tokens: 4, temperature: 0 } };
    const path = await fileOf('chats.json', {
      format: 'paddock-chats',
      version: 1,
      conversations: [{ ...talk, model: 'tiny', settings }],
    });
    await using firefox = await launchFirefox();
    const tab = await firefox.open(server.url);
    // The list of chats stands beside the chat in a window of this size.
    await tab.page.setViewport({ width: 1280, height: 800 });
    await tab.untilText(/Talk to/);
    const input = await tab.page.$('input[aria-label="Import chats"]');
    await (input as ElementHandle<HTMLInputElement>).uploadFile(path);
    await tab.page.locator('.beside .chat-open').click();
    await tab.click('Continue');
    await tab.untilText(/Once upon a ti.+Cut off/s);
    await tab.click('More about this reply');
    await tab.click('Edit the reply');
    await tab.page.locator('aria/The model’s words').fill('Other words');
    await tab.click('Save');
    await tab.untilText(/Edited by you.+Other words.+2\/2/s);
    await tab.click('More about this reply');
    await tab.click('Delete the reply');
    await tab.untilText(/Once upon a ti/);
    await tab.click('Undo');
    await tab.untilText(/2\/2/);
    await tab.click('Settings of this chat');
    await tab.page.waitForSelector('#compare-with');
    await tab.page.select('#compare-with', 'pico');
    await tab.page.keyboard.press('Escape');
    await tab.say('Which one?');
    await tab.untilText(/Go on with this one.+Go on with this one/s);
    await tab.page.waitForFunction(`document.querySelectorAll('.compared [aria-busy="true"]').length === 0`);
    await tab.page.locator('.compared-one .button').click();
    await tab.page.waitForFunction(`document.querySelector('.compared') === null`);
    expect(tab.errors).toEqual([]);
  });

  it('of a server goes on with an engine of its own when the server is gone', async () => {
    const home = await startChatServer();
    onTestFinished(() => home.stop().then(() => {}));
    await using firefox = await launchFirefox();
    const tab = await firefox.open(home.url);
    await tab.untilText(/Talk to/);
    await openModels(tab);
    await tab.page.locator('summary ::-p-text(When the server is away)').click();
    await tab.click('Keep an engine here');
    await tab.untilText(/On 127\.0\.0\.1/);
    await home.stop();
    await tab.untilText(/In this browser: 127\.0\.0\.1:\d+ does not answer/);
    await tab.say('Hello Firefox');
    // The first words are enough: on a busy machine the rest takes long.
    await tab.untilText(/Writing|first after/);
    expect(tab.errors).toEqual([]);
  });

  it('of a server works where Firefox stores nothing, and says so', async () => {
    await using firefox = await launchFirefox({ 'network.cookie.cookieBehavior': 2 });
    const tab = await firefox.open(server.url);
    await tab.untilText(/keeps nothing for this page/);
    await tab.say('Hello Firefox');
    await tab.untilText(/first after/);
    expect(tab.errors).toEqual([]);
  });

  it('of a static site says what it needs where Firefox stores nothing', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using firefox = await launchFirefox({ 'network.cookie.cookieBehavior': 2 });
    const tab = await firefox.open(site.url);
    await tab.untilText(/Allow this site to store data/);
    expect(tab.errors).toEqual([]);
  });

  it('of a static site chats in a private window', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using firefox = await launchFirefox({
      'browser.privatebrowsing.autostart': true,
      // A private window says 4 cores wherever it is, and as many threads on fewer cores hardly get on.
      'privacy.fingerprintingProtection.pbmode': false,
    });
    const tab = await firefox.open(site.url);
    await tab.say('Hello Firefox');
    // The first words are enough: on a busy machine the rest takes long.
    await tab.untilText(/Writing|first after/);
    expect(tab.errors).toEqual([]);
  });

  it('of a static site imports a file, although its requests have no stream of their body', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using firefox = await launchFirefox();
    const tab = await firefox.open(site.url);
    await tab.untilText(/Pico/);
    const { status, text } = await tab.page.evaluate(importInPage, { filename: 'tiny.gguf', apiKey: '' });
    expect({ status, last: eventsOf(text).at(-1) }).toMatchObject({ status: 200, last: { status: 'done' } });
  });

  it('of a static site sends what was said during the first visit, and fetches one build of wllama', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using firefox = await launchFirefox();
    const tab = await firefox.open(site.url);
    await tab.say('Hello Firefox');
    // The first words are enough: on a busy machine the rest takes long.
    await tab.untilText(/Writing|first after/);
    const builds = site.requests.filter((path) => path.endsWith('wllama.wasm'));
    expect(builds).toHaveLength(1);
    // From here on, a server answers.
    const home = await startChatServer(['--cors-origin', site.url]);
    onTestFinished(() => home.stop().then(() => {}));
    await openModels(tab);
    await tab.page.locator('summary ::-p-text(Use a Paddock server)').click();
    await tab.page.locator('.home-server-form input').fill(home.url);
    await tab.click('Use it');
    await tab.untilText(/127\.0\.0\.1:\d+ answers\. These are its models/);
    await tab.page.keyboard.press('Escape');
    await tab.untilText(/On 127\.0\.0\.1/);
    expect(tab.errors).toEqual([]);
  });
});
