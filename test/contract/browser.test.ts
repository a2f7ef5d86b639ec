import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { HUB_URL } from '../../src/catalogue/pull/hub.ts';
import { launchBrowser, type TestBrowser } from '../support/browser.ts';
import { startHub } from '../support/hub.ts';
import { importModel, openPaddock, pullModel, startPaddockSite } from '../support/paddock-page.ts';
import { startPageRelay } from '../support/page-relay.ts';
import { CONTRACT, describeContract } from './suite.ts';

const API_KEY = 'contract-key';
const MODELS = ['embed/mini.gguf', 'rerank/mini.gguf', 'shelf/brief.gguf', 'tiny.gguf'];
/** These come with their projectors, from a hub: an import is of one file. */
const PULLED = [
  { repo: 'tiny/audio', model: 'ear.gguf', projector: 'mmproj-ear.gguf' },
  { repo: 'tiny/vision', model: 'eye.gguf', projector: 'mmproj-eye.gguf' },
];

/** What only a server on a network can be asked. */
const IMPOSSIBLE = {
  'answers preflights of local pages without a key, and lets them read errors too':
    'no page of another origin reaches a service worker',
  'gives pages of other origins nothing to read': 'no page of another origin reaches a service worker',
};

/** To be ended when the suite is through, the last first. */
const running: AsyncDisposable[] = [];

/** Has the browser find a hub with the models in place of Hugging Face's. */
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
 * A page of an origin of its own, with the models of the suite in its store; gives the relay's URL. Where it is not isolated it
 * has one thread: the replies are short, and two on busy cores wait for each other.
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
      // The engine is the one of server + wasm.
      seeds: 10,
    };
  },
  async () => {
    for (const part of running.reverse()) await part[Symbol.asyncDispose]();
  },
  IMPOSSIBLE,
);

describe('the cases that a service worker is spared', () => {
  it('are such of the suite', () => {
    const names = Object.values(CONTRACT).flatMap((cases) => cases.map(({ name }) => name));
    expect(Object.keys(IMPOSSIBLE).filter((name) => !names.includes(name))).toEqual([]);
  });
});
