import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { chat, untilServed } from '../kit/browser/paddock-page.ts';
import { type StaticSite, startStaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;
/** As a project's page on GitHub Pages has it. */
const SUBFOLDER = '/paddock/';

let out: string;
let printed: string;
let site: StaticSite;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'paddock-site-'));
  ({ stdout: printed } = await promisify(execFile)(process.execPath, ['tools/site.js', '--out', out]));
  site = await startStaticSite({ folders: { [SUBFOLDER]: out } });
  browser = await launchBrowser();
  page = await browser.open(site.url + SUBFOLDER);
  await untilServed(page);
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await rm(out, { recursive: true });
});

describe('npm run site', () => {
  it('makes a folder of the page, the engine and the model, and says what it weighs', async () => {
    expect(await readdir(out)).toEqual(
      expect.arrayContaining(['index.html', 'service-worker.js', '_headers', '.nojekyll']),
    );
    expect(await readdir(join(out, 'paddock'))).not.toContain('client.d.ts');
    expect(printed).toMatch(/: \d+ files, \d+\.\d MB; the largest has \d+\.\d MB\n$/);
    expect(await readFile(join(out, '_headers'), 'utf8')).toContain('/service-worker.js\n  Cache-Control: no-cache');
  });

  it(
    'is served from a subfolder by a host without special headers: isolated, and the built-in model answers',
    async () => {
      expect(await page.evaluate('crossOriginIsolated')).toBe(true);
      expect(await chat(page, { model: 'pico' })).not.toBe('');
    },
    TIME_LIMIT_MS,
  );

  it(
    'loads again and answers when the host is gone',
    async () => {
      const before = await chat(page, { model: 'pico' });
      await site.stop();
      await page.reload();
      await untilServed(page);
      expect(await chat(page, { model: 'pico' })).toBe(before);
    },
    TIME_LIMIT_MS,
  );
});
