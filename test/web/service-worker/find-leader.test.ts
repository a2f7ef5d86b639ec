import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEADER_WAIT_MS } from '../../../web/protocol.ts';
import { findLeader, replaceLeader } from '../../../web/service-worker/find-leader.ts';
import { FakeTabs } from './support/tabs.ts';

const never = new AbortController().signal;
let tabs: FakeTabs;

beforeEach(() => {
  tabs = new FakeTabs();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('findLeader', () => {
  it('finds the tab that leads, of several the newest', async () => {
    tabs.open('a');
    tabs.open('b');
    await tabs.lead('a', 1);
    await tabs.lead('b', 2);
    expect(await findLeader(tabs, {}, never)).toMatchObject({ page: { id: 'b' }, epoch: 2 });
  });

  it('passes over a lock whose tab is gone', async () => {
    tabs.open('a');
    await tabs.lead('a', 1);
    await tabs.lead('gone', 2);
    expect(await findLeader(tabs, {}, never)).toMatchObject({ page: { id: 'a' }, epoch: 1 });
  });

  it('waits for one that is about to lead', async () => {
    tabs.open('a');
    const found = findLeader(tabs, {}, never);
    await tabs.lead('a', 7);
    expect(await found).toMatchObject({ epoch: 7 });
  });

  it('gives up after a while', async () => {
    vi.useFakeTimers();
    const found = findLeader(tabs, {}, never);
    await vi.advanceTimersByTimeAsync(LEADER_WAIT_MS + 100);
    expect(await found).toBeNull();
  });

  it('ends when nobody wants the reply any more', async () => {
    expect(await findLeader(tabs, {}, AbortSignal.abort())).toBeNull();
  });
});

describe('replaceLeader', () => {
  it('asks the tab that waits for the reply before the others, and never the frozen one', async () => {
    const frozen = tabs.open('frozen');
    const other = tabs.open('other');
    const asking = tabs.open('asking', undefined, (epoch) => void tabs.lead('asking', epoch));
    await tabs.lead('frozen', 3);
    const leader = await replaceLeader(tabs, { page: frozen.page, epoch: 3 }, 'asking', never);
    expect(leader).toMatchObject({ page: { id: 'asking' }, epoch: 4 });
    expect(asking.heard).toEqual([{ kind: 'take-over', epoch: 4 }]);
    expect([...frozen.heard, ...other.heard]).toEqual([]);
  });

  it('asks the next one when a tab does not take over, as one without Paddock does not', async () => {
    vi.useFakeTimers();
    const frozen = tabs.open('frozen');
    tabs.open('plain');
    tabs.open('able', undefined, (epoch) => void tabs.lead('able', epoch));
    await tabs.lead('frozen', 1);
    const replaced = replaceLeader(tabs, { page: frozen.page, epoch: 1 }, 'plain', never);
    await vi.advanceTimersByTimeAsync(2 * LEADER_WAIT_MS);
    expect(await replaced).toMatchObject({ page: { id: 'able' }, epoch: 2 });
  });

  it('finds nobody where the frozen tab is the only one', async () => {
    const frozen = tabs.open('frozen');
    expect(await replaceLeader(tabs, { page: frozen.page, epoch: 1 }, 'frozen', never)).toBeNull();
  });
});
