import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElementHandle } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { writePdf } from '../../fixtures/pdf.ts';
import { FIREFOX, launchFirefox } from '../../support/firefox.ts';
import { startPaddockSite } from '../../support/paddock-page.ts';
import { type RunningServer, startServer } from '../../support/server.ts';

const FLAGS = ['--backend', 'cpu', '--threads', '1', '--log-level', 'warn'];

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let server: RunningServer;

// Where there is no Firefox, the tests are skipped: it is no package of npm.
describe.skipIf(FIREFOX === null)('the chat page in Firefox', () => {
  beforeAll(async () => {
    server = await startServer(['--models', inject('modelsFolder'), ...FLAGS]);
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
    const folder = await mkdtemp(join(tmpdir(), 'paddock-files-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const files = [join(folder, 'paper.pdf'), join(folder, 'sum.py')];
    await writeFile(files[0] ?? '', writePdf([['Words of a paper.']]));
    await writeFile(files[1] ?? '', 'print(1 + 1)');
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

  it('of a static site sends what was said during the first visit, and fetches one build of wllama', async () => {
    await using site = await startPaddockSite({ models: inject('modelsFolder') });
    await using firefox = await launchFirefox();
    const tab = await firefox.open(site.url);
    await tab.say('Hello Firefox');
    // The first words are enough: on a busy machine the rest takes long.
    await tab.untilText(/Writing|first after/);
    const builds = site.requests.filter((path) => path.endsWith('wllama.wasm'));
    expect(builds).toHaveLength(1);
    expect(tab.errors).toEqual([]);
  });
});
