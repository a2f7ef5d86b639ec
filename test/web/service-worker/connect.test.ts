import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hostPort } from '../../../web/liveness.ts';
import { FROZEN_AFTER_MS, HOST_WAIT_MS, requestLock } from '../../../web/protocol.ts';
import { type Ask, connect, type Link } from '../../../web/service-worker/connect.ts';
import { type Behaviour, FakeTabs } from './support/tabs.ts';

const never = new AbortController().signal;
const ask: Ask = { connection: { to: 'engine', model: null }, askingPage: 'asking' };
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
const accepts: Behaviour = ({ requestId }, port) => {
  const hosted = hostPort(port, requestId, tabs.locks);
  hosted.onmessage = () => hosted.close();
};

async function open(signal = never, more: Partial<Ask> = {}): Promise<Link | null> {
  const link = await connect(tabs, { ...ask, ...more }, signal);
  if (link) links.push(link);
  return link;
}

/** The locks of requests that are held now. */
async function heldRequests(): Promise<string[]> {
  const { held = [] } = await tabs.locks.query();
  return held.map(({ name = '' }) => name).filter((name) => name.startsWith(requestLock('')));
}

describe('connect', () => {
  it('hands the host a port, and holds the lock of the request until it is closed', async () => {
    const { heard } = tabs.open('host', accepts);
    await tabs.host('host', 1);
    const link = await open();
    expect(heard).toMatchObject([{ kind: 'connect', connection: { to: 'engine', model: null } }]);
    const [message] = heard;
    expect(message?.kind === 'connect' && requestLock(message.connection.requestId)).toBe((await heldRequests())[0]);
    link?.close();
    await vi.waitFor(async () => expect(await heldRequests()).toEqual([]));
  });

  it('answers 503 with Retry-After when no tab hosts', async () => {
    vi.useFakeTimers();
    const failed = expect(open()).rejects.toMatchObject({
      data: { status: 503, code: 'no_engine', headers: { 'retry-after': '1' } },
    });
    await vi.advanceTimersByTimeAsync(HOST_WAIT_MS + 100);
    await failed;
  });

  it('tells when the host dies after it has accepted', async () => {
    tabs.open('host', accepts);
    await tabs.host('host', 1);
    const link = await open();
    tabs.close('host', 1);
    expect((await link?.lost)?.data).toMatchObject({ status: 503, code: 'engine_lost' });
  });

  it('goes to the next host when the first one dies before it accepts', async () => {
    tabs.open('host', () => tabs.close('host', 1));
    await tabs.host('host', 1);
    const opening = open();
    tabs.open('next', accepts);
    await tabs.host('next', 2);
    expect(await opening).not.toBeNull();
  });

  it('has another tab take the place of a host that is frozen', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    tabs.open('frozen');
    tabs.open('asking', accepts, (epoch) => void tabs.host('asking', epoch));
    await tabs.host('frozen', 1);
    const opening = open();
    await vi.advanceTimersByTimeAsync(FROZEN_AFTER_MS + 1000);
    expect(await opening).not.toBeNull();
  });

  it('says that the tab is frozen when there is no other', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    tabs.open('asking');
    await tabs.host('asking', 1);
    const failed = expect(open()).rejects.toMatchObject({
      data: { status: 503, code: 'engine_lost', message: expect.stringContaining('frozen') },
    });
    await vi.advanceTimersByTimeAsync(FROZEN_AFTER_MS + 1000);
    await failed;
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await heldRequests()).toEqual([]));
  });

  it('does not ask twice what can be handed over once', async () => {
    tabs.open('host', () => tabs.close('host', 1));
    await tabs.host('host', 1);
    const { heard } = tabs.open('next', accepts);
    await tabs.host('next', 0);
    await expect(open(never, { transfer: [] })).rejects.toMatchObject({ data: { code: 'engine_lost' } });
    expect(heard).toEqual([]);
  });

  it('lets go of everything when the request is given up before the host accepts', async () => {
    tabs.open('host', () => gone.abort());
    const gone = new AbortController();
    await tabs.host('host', 1);
    expect(await open(gone.signal)).toBeNull();
    await vi.waitFor(async () => expect(await heldRequests()).toEqual([]));
  });
});
