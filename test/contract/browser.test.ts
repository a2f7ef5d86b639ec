import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { HUB_URL } from '../../src/catalogue/pull/hub.ts';
import { launchBrowser, type TestBrowser } from '../support/browser.ts';
import { startHub } from '../support/hub.ts';
import { importModel, openPaddock, pullModel, startPaddockSite } from '../support/paddock-page.ts';
import { startPageRelay } from '../support/page-relay.ts';
import { describeContract } from './suite.ts';
import { BROWSER } from './targets.ts';

const API_KEY = 'contract-key';
const MODELS = ['embed/mini.gguf', 'rerank/mini.gguf', 'shelf/brief.gguf', 'tiny.gguf'];
/** These models have projectors, so they are pulled from a hub: an import takes only one file. */
const PULLED = [
  { repo: 'tiny/audio', model: 'ear.gguf', projector: 'mmproj-ear.gguf' },
  { repo: 'tiny/vision', model: 'eye.gguf', projector: 'mmproj-eye.gguf' },
];

/** What has to be closed after the suite, in reverse order. */
const running: AsyncDisposable[] = [];

/** Makes the browser reach a test hub with the models in place of Hugging Face's. */
async function serveHub({ context }: TestBrowser): Promise<void> {
  const hub = await startHub();
  running.push({ [Symbol.asyncDispose]: hub.close });
  for (const { repo, model, projector } of PULLED) {
    for (const name of [model, projector])
      hub.put(repo, name, await readFile(join(inject('modelsFolder'), repo, name)));
  }
  await context.route(`${HUB_URL}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: hub.url + pathname + search }) });
  });
}

/**
 * Opens a page with an origin of its own and the suite's models in its store. Returns the URL of the relay to the page.
 * A page that is not isolated has one thread. That is enough: the replies are short, and on busy cores two threads
 * would wait for each other.
 */
async function startOrigin(browser: TestBrowser, maxQueue: number, isolated = false): Promise<string> {
  const config = { apiKeys: [API_KEY], contentFilter: ['%%%%'], maxQueue };
  const options = isolated ? config : { ...config, reload: false as const };
  const site = await startPaddockSite({ models: inject('modelsFolder'), options });
  running.push(site);
  const page = await openPaddock(browser, site);
  for (const filename of MODELS) await importModel(page, filename, API_KEY);
  for (const { repo, model } of PULLED) await pullModel(page, `hf:${repo}/${model}`, API_KEY);
  const relay = await startPageRelay(page);
  running.push(relay);
  return relay.url;
}

describeContract(
  'the service worker, from a page',
  async () => {
    const browser = await launchBrowser();
    running.push(browser);
    await serveHub(browser);
    return {
      url: await startOrigin(browser, 512),
      smallUrl: await startOrigin(browser, 1),
      audioUrl: await startOrigin(browser, 512, true),
      apiKey: API_KEY,
      // Few seeds are enough, because the engine is the same as on the server with WebAssembly.
      seeds: 10,
    };
  },
  async () => {
    for (const part of running.reverse()) await part[Symbol.asyncDispose]();
  },
  BROWSER.impossible,
);
