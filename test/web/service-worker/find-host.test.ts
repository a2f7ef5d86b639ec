import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOST_WAIT_MS } from '../../../web/protocol.ts';
import { findHost, replaceHost } from '../../../web/service-worker/find-host.ts';
import { FakeTabs } from './support/tabs.ts';

const never = new AbortController().signal;
let tabs: FakeTabs;

beforeEach(() => {
  tabs = new FakeTabs();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('findHost', () => {
  it('finds the tab that hosts, of several the newest', async () => {
    tabs.open('a');
    tabs.open('b');
    await tabs.host('a', 1);
    await tabs.host('b', 2);
    expect(await findHost(tabs, {}, never)).toMatchObject({ page: { id: 'b' }, epoch: 2 });
  });

  it('passes over a lock whose tab is gone', async () => {
    tabs.open('a');
    await tabs.host('a', 1);
    await tabs.host('gone', 2);
    expect(await findHost(tabs, {}, never)).toMatchObject({ page: { id: 'a' }, epoch: 1 });
  });

  it('waits for one that is about to host', async () => {
    tabs.open('a');
    const found = findHost(tabs, {}, never);
    await tabs.host('a', 7);
    expect(await found).toMatchObject({ epoch: 7 });
  });

  it('gives up after a while', async () => {
    vi.useFakeTimers();
    const found = findHost(tabs, {}, never);
    await vi.advanceTimersByTimeAsync(HOST_WAIT_MS + 100);
    expect(await found).toBeNull();
  });

  it('ends when nobody wants the reply any more', async () => {
    expect(await findHost(tabs, {}, AbortSignal.abort())).toBeNull();
  });
});

describe('replaceHost', () => {
  it('asks the tab that waits for the reply before the others, and never the frozen one', async () => {
    const frozen = tabs.open('frozen');
    const other = tabs.open('other');
    const asking = tabs.open('asking', undefined, (epoch) => void tabs.host('asking', epoch));
    await tabs.host('frozen', 3);
    const host = await replaceHost(tabs, { page: frozen.page, epoch: 3 }, 'asking', never);
    expect(host).toMatchObject({ page: { id: 'asking' }, epoch: 4 });
    expect(asking.heard).toEqual([{ kind: 'take-over', epoch: 4 }]);
    expect([...frozen.heard, ...other.heard]).toEqual([]);
  });

  it('asks the next one when a tab does not take over, as one without Paddock does not', async () => {
    vi.useFakeTimers();
    const frozen = tabs.open('frozen');
    tabs.open('plain');
    tabs.open('able', undefined, (epoch) => void tabs.host('able', epoch));
    await tabs.host('frozen', 1);
    const replaced = replaceHost(tabs, { page: frozen.page, epoch: 1 }, 'plain', never);
    await vi.advanceTimersByTimeAsync(2 * HOST_WAIT_MS);
    expect(await replaced).toMatchObject({ page: { id: 'able' }, epoch: 2 });
  });

  it('finds nobody where the frozen tab is the only one', async () => {
    const frozen = tabs.open('frozen');
    expect(await replaceHost(tabs, { page: frozen.page, epoch: 1 }, 'frozen', never)).toBeNull();
  });
});
