import { beforeEach, describe, expect, it } from 'vitest';
import { type Candidacy, standForElection } from '../../../web/leader/election.ts';
import { holdLock } from '../../../web/liveness.ts';
import { ELECTION_LOCK, leaderLock } from '../../../web/protocol.ts';
import { eventually } from '../../kit/eventually.ts';
import { type FakeLocks, fakeLocks } from '../support/locks.ts';

let locks: FakeLocks;
/** Who leads now, with the epoch. */
let leading: string[];

beforeEach(() => {
  locks = fakeLocks();
  leading = [];
});

/** A page that leads as pages do: with its leader's lock held until its term is over. */
function page(name: string): Candidacy {
  return standForElection(async (epoch, signal) => {
    const release = await holdLock(leaderLock(epoch, name), locks);
    leading.push(`${name} ${epoch}`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    });
    leading = leading.filter((other) => other !== `${name} ${epoch}`);
    release();
  }, locks);
}

const leads = (...expected: string[]) => eventually(() => expect(leading).toEqual(expected));
const candidates = async (count: number) =>
  eventually(async () => {
    const { held = [], pending = [] } = await locks.query();
    expect([...held, ...pending].filter(({ name }) => name === ELECTION_LOCK)).toHaveLength(count);
  });

describe('the election of the leader', () => {
  it('makes the first page the leader, and the next one when it steps down', async () => {
    const first = page('a');
    await leads('a 1');
    const second = page('b');
    await candidates(2);
    expect(leading).toEqual(['a 1']);
    first.end();
    await leads('b 1');
    second.end();
    await leads();
  });

  it('counts on from the leaders that still live', async () => {
    await holdLock(leaderLock(7, 'frozen'), locks);
    page('a');
    await leads('a 8');
  });

  it('lets a page take over from a frozen one, which waits for its turn again', async () => {
    page('a');
    await leads('a 1');
    const second = page('b');
    await candidates(2);
    second.takeOver(2);
    await leads('b 2');
    await candidates(2);
    second.end();
    await leads('a 1');
  });

  it('takes over once, however many requests ask for it', async () => {
    page('a');
    await leads('a 1');
    const second = page('b');
    second.takeOver(2);
    second.takeOver(2);
    await leads('b 2');
    second.takeOver(2);
    await candidates(2);
    expect(leading).toEqual(['b 2']);
  });

  it('starts a term anew for a page that is to take over from itself', async () => {
    const only = page('a');
    await leads('a 1');
    only.takeOver(2);
    await leads('a 2');
    await candidates(1);
  });

  it('ends for a page that only waits', async () => {
    const first = page('a');
    await leads('a 1');
    const second = page('b');
    await candidates(2);
    second.end();
    await candidates(1);
    first.end();
    await leads();
    await candidates(0);
  });
});
