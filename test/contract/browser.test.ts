import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { HUB_URL } from '../../src/catalogue/pull/hugging-face.ts';
import { launchBrowser, type TestBrowser } from '../kit/browser/browser.ts';
import { importModel, openPaddock, pullModel, startPaddockSite } from '../kit/browser/paddock-page.ts';
import { startPageRelay } from '../kit/browser/page-relay.ts';
import { startHub } from '../kit/servers/test-hub.ts';
import { repeats } from '../support/repeats.ts';
import { describeContract } from './suite.ts';
import { BROWSER, contractOf } from './targets.ts';

const API_KEY = 'contract-key';
const MODELS = ['embed/mini.gguf', 'rerank/mini.gguf', 'shelf/brief.gguf', 'tiny.gguf'];
/** These models have projectors, so they are pulled from a hub: an import takes only one file. */
const EAR = { repo: 'tiny/audio', model: 'ear.gguf', projector: 'mmproj-ear.gguf' };
const EYE = { repo: 'tiny/vision', model: 'eye.gguf', projector: 'mmproj-eye.gguf' };
const PULLED = [EAR, EYE];

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

interface Origin {
  imported?: string[];
  pulled?: typeof PULLED;
  maxQueue?: number;
  isolated?: boolean;
}

/**
 * Opens a page with an origin of its own and these models in its store. Returns the URL of the relay to the page.
 * A page that is not isolated has one thread. That is enough: the replies are short, and on busy cores two threads
 * would wait for each other.
 */
async function startOrigin(
  browser: TestBrowser,
  { imported = [], pulled = [], maxQueue = 512, isolated = false }: Origin,
): Promise<string> {
  const config = { apiKeys: [API_KEY], contentFilter: ['%%%%'], maxQueue };
  const options = isolated ? config : { ...config, reload: false as const };
  const site = await startPaddockSite({ models: inject('modelsFolder'), options });
  running.push(site);
  const page = await openPaddock(browser, site);
  for (const filename of imported) await importModel(page, filename, API_KEY);
  for (const { repo, model } of pulled) await pullModel(page, `hf:${repo}/${model}`, API_KEY);
  const relay = await startPageRelay(page);
  running.push(relay);
  return relay.url;
}

describeContract(
  'the service worker, from a page',
  async () => {
    // Recordings take several times as long without V8's optimizer. The last flag of a name counts.
    const browser = await launchBrowser({ flags: ['--js-flags='] });
    running.push(browser);
    await serveHub(browser);
    return {
      url: await startOrigin(browser, { imported: MODELS, pulled: PULLED }),
      smallUrl: await startOrigin(browser, { imported: ['tiny.gguf'], maxQueue: 1 }),
      audioUrl: await startOrigin(browser, { pulled: [EAR], isolated: true }),
      apiKey: API_KEY,
      // Few seeds are enough, because the engine is the same as on the server with WebAssembly.
      seeds: repeats(3, 10),
    };
  },
  async () => {
    for (const part of running.reverse()) await part[Symbol.asyncDispose]();
  },
  BROWSER.impossible,
  contractOf(BROWSER),
);
