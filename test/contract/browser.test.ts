import { describe, expect, inject, it } from 'vitest';
import { launchBrowser, type TestBrowser } from '../support/browser.ts';
import { importModel, openPaddock, startPaddockSite } from '../support/paddock-page.ts';
import { startPageRelay } from '../support/page-relay.ts';
import { CONTRACT, describeContract } from './suite.ts';

const API_KEY = 'contract-key';
const MODELS = ['embed/mini.gguf', 'rerank/mini.gguf', 'shelf/brief.gguf', 'tiny.gguf'];

/** What only a server on a network can be asked. */
const IMPOSSIBLE = {
  'answers preflights of local pages without a key, and lets them read errors too':
    'no page of another origin reaches a service worker',
  'gives pages of other origins nothing to read': 'no page of another origin reaches a service worker',
};

/** To be ended when the suite is through, the last first. */
const running: AsyncDisposable[] = [];

/** A page of an origin of its own, with the models of the suite in its store; gives the relay's URL. */
async function startOrigin(browser: TestBrowser, maxQueue: number): Promise<string> {
  // One thread: the replies are short, and two on busy cores wait for each other.
  const options = { apiKeys: [API_KEY], contentFilter: ['%%%%'], maxQueue, reload: false as const };
  const site = await startPaddockSite({ models: inject('modelsFolder'), options });
  running.push(site);
  const page = await openPaddock(browser, site);
  for (const filename of MODELS) await importModel(page, filename, API_KEY);
  const relay = await startPageRelay(page);
  running.push(relay);
  return relay.url;
}

describeContract(
  'the service worker, from a page',
  async () => {
    const browser = await launchBrowser();
    running.push(browser);
    return { url: await startOrigin(browser, 512), smallUrl: await startOrigin(browser, 1), apiKey: API_KEY };
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
