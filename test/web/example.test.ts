import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { type StaticSite, startStaticSite } from '../kit/browser/static-site.ts';

const TIME_LIMIT_MS = 120_000;

let folder: string;
let site: StaticSite;
let browser: TestBrowser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-example-'));
  await build({ root: 'examples/browser-openai', logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
  site = await startStaticSite({ folders: { '/': folder } });
  browser = await launchBrowser();
}, TIME_LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await rm(folder, { recursive: true, force: true });
});

it(
  'the example answers in the page by the openai package, from static files alone',
  async () => {
    const page = await browser.open(`${site.url}/`);
    const state = page.locator('#state');
    await state.getByText('Ready.').waitFor({ timeout: TIME_LIMIT_MS / 2 });
    expect(await state.textContent()).toMatch(/No WebGPU: .* threads? /);

    await page.locator('#send').click();
    await page.locator('#stop:disabled').waitFor({ timeout: TIME_LIMIT_MS / 2 });
    expect(await page.locator('#answer').textContent()).toMatch(/pico/i);
    expect(site.requests.filter((path) => path.startsWith('/v1'))).toEqual([]);
  },
  TIME_LIMIT_MS,
);
