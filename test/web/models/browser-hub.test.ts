import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFinder } from '../../../src/catalogue/pull/finder.ts';
import { BROWSER_HUB } from '../../../web/models/browser-hub.ts';
import { createPageFetch } from '../../../web/models/page-fetch.ts';
import { EAGER } from '../../catalogue/pull/node/fixtures.ts';
import { startHub, type TestHub } from '../../kit/servers/test-hub.ts';

let hub: TestHub;
beforeEach(async () => {
  hub = await startHub();
});
afterEach(() => hub.close());

describe('a search of the hub in a page', () => {
  it('finds repositories and what they offer, as on a server', async () => {
    hub.put('org/llama-GGUF', 'llama-Q8_0.gguf', new Uint8Array(80));
    const finder = createFinder({
      hub: { ...BROWSER_HUB, endpoint: hub.url },
      fetch: createPageFetch(),
      patience: EAGER,
    });
    const { signal } = new AbortController();
    expect(await finder.search('llama', 20, signal)).toMatchObject([{ repo: 'org/llama-GGUF', gated: false }]);
    expect((await finder.offer('org/llama-GGUF', signal)).variants).toHaveLength(1);
  });
});
