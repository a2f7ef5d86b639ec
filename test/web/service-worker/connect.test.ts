import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { leaderPort } from '../../../web/liveness.ts';
import { connectionLock, FROZEN_AFTER_MS, LEADER_WAIT_MS } from '../../../web/protocol.ts';
import { type Ask, connect, type Link } from '../../../web/service-worker/connect.ts';
import { eventually } from '../../kit/eventually.ts';
import { type Behaviour, FakeTabs } from './support/tabs.ts';

const never = new AbortController().signal;
const ask: Ask = { destination: { to: 'engine', model: null }, requestId: 'req-1', askingPage: 'asking' };
let tabs: FakeTabs;
let links: Link[];

beforeEach(() => {
  tabs = new FakeTabs();
  links = [];
});
afterEach(() => {
  vi.useRealTimers();
  for (const link of links) link.close();
});

/** A worker that accepts and says no more. */
const accepts: Behaviour = ({ id }, port) => {
  const accepted = leaderPort(port, id, tabs.locks);
  accepted.onmessage = () => accepted.close();
};

async function open(signal = never, more: Partial<Ask> = {}): Promise<Link | null> {
  const link = await connect(tabs, { ...ask, ...more }, signal);
  if (link) links.push(link);
  return link;
}

/** The locks of connections that are held now. */
async function heldConnections(): Promise<string[]> {
  const { held = [] } = await tabs.locks.query();
  return held.map(({ name = '' }) => name).filter((name) => name.startsWith(connectionLock('')));
}

describe('connect', () => {
  it('hands the leader a port, and holds the lock of the connection until it is closed', async () => {
    const { heard } = tabs.open('leader', accepts);
    await tabs.lead('leader', 1);
    const link = await open();
    expect(heard).toMatchObject([{ kind: 'connect', connection: { to: 'engine', model: null, requestId: 'req-1' } }]);
    const [message] = heard;
    expect(message?.kind === 'connect' && connectionLock(message.connection.id)).toBe((await heldConnections())[0]);
    link?.close();
    await eventually(async () => expect(await heldConnections()).toEqual([]));
  });

  it('answers 503 with Retry-After when no tab leads', async () => {
    vi.useFakeTimers();
    const failed = expect(open()).rejects.toMatchObject({
      data: { status: 503, code: 'no_engine', headers: { 'retry-after': '1' } },
    });
    await vi.advanceTimersByTimeAsync(LEADER_WAIT_MS + 100);
    await failed;
  });

  it('tells when the leader dies after it has accepted', async () => {
    tabs.open('leader', accepts);
    await tabs.lead('leader', 1);
    const link = await open();
    tabs.close('leader', 1);
    expect((await link?.lost)?.data).toMatchObject({ status: 503, code: 'engine_lost' });
  });

  it('goes to the next leader when the first one dies before it accepts', async () => {
    tabs.open('leader', () => tabs.close('leader', 1));
    await tabs.lead('leader', 1);
    const opening = open();
    tabs.open('next', accepts);
    await tabs.lead('next', 2);
    expect(await opening).not.toBeNull();
  });

  it('has another tab take the place of a leader that is frozen', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    tabs.open('frozen');
    tabs.open('asking', accepts, (epoch) => void tabs.lead('asking', epoch));
    await tabs.lead('frozen', 1);
    const opening = open();
    await vi.advanceTimersByTimeAsync(FROZEN_AFTER_MS + 1000);
    expect(await opening).not.toBeNull();
  });

  it('says that the tab is frozen when there is no other', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    tabs.open('asking');
    await tabs.lead('asking', 1);
    const failed = expect(open()).rejects.toMatchObject({
      data: { status: 503, code: 'engine_lost', message: expect.stringContaining('frozen') },
    });
    await vi.advanceTimersByTimeAsync(FROZEN_AFTER_MS + 1000);
    await failed;
    vi.useRealTimers();
    await eventually(async () => expect(await heldConnections()).toEqual([]));
  });

  it('does not ask twice what can be handed over once', async () => {
    tabs.open('leader', () => tabs.close('leader', 1));
    await tabs.lead('leader', 1);
    const { heard } = tabs.open('next', accepts);
    await tabs.lead('next', 0);
    await expect(open(never, { transfer: [] })).rejects.toMatchObject({ data: { code: 'engine_lost' } });
    expect(heard).toEqual([]);
  });

  it('lets go of everything when the request is given up before the leader accepts', async () => {
    tabs.open('leader', () => gone.abort());
    const gone = new AbortController();
    await tabs.lead('leader', 1);
    expect(await open(gone.signal)).toBeNull();
    await eventually(async () => expect(await heldConnections()).toEqual([]));
  });
});
