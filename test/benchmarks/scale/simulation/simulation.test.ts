import { describe, expect, it } from 'vitest';
import type { ReplicaFigures } from '../../../../benchmarks/scale/replica.ts';
import { createAgenda } from '../../../../benchmarks/scale/simulation/agenda.ts';
import { drawPlot } from '../../../../benchmarks/scale/simulation/plot.ts';
import { createReplica } from '../../../../benchmarks/scale/simulation/replica.ts';
import type { SimulatedRequest } from '../../../../benchmarks/scale/simulation/request.ts';
import { createRoute, type View } from '../../../../benchmarks/scale/simulation/routing.ts';
import {
  ROUTES,
  runScenario,
  SCENARIOS,
  TABLE_HEAD,
  toLine,
} from '../../../../benchmarks/scale/simulation/scenarios.ts';
import { simulate } from '../../../../benchmarks/scale/simulation/simulate.ts';
import { makeWorkload } from '../../../../benchmarks/scale/simulation/workload.ts';

/** 100 tokens of a prompt in a second; 50 ms a step, and 100 ms with two streams. */
const FIGURES: ReplicaFigures = {
  model: 'made up',
  machine: 'made up',
  slots: 2,
  contextLength: 2048,
  startMs: 1000,
  loadMs: 4000,
  serverMb: 0,
  engineMb: 0,
  engineFullMb: 0,
  prefillTokensPerSecond: 100,
  stepMs: { 1: 50, 2: 100 },
  ttft: { promptTokens: 0, coldMs: 0, warmMs: 0 },
};

const WORKLOAD = { seed: 1, durationMs: 120_000, conversationsPerSecond: 0.5, contextLength: 2048, hotShare: 0 };

const request = (given: Partial<SimulatedRequest> = {}): SimulatedRequest => ({
  conversation: 1,
  app: 1,
  systemTokens: 20,
  promptTokens: 100,
  replyTokens: 10,
  arrivedAtMs: 0,
  ...given,
});

describe('a simulated replica', () => {
  it('reads a prompt and writes a reply at the measured pace', () => {
    const replica = createReplica(FIGURES);
    replica.take(request(), 0);
    expect(replica.nextMs()).toBeCloseTo(1000);
    expect(replica.advance(1400)).toEqual([]);
    expect(replica.nextMs()).toBeCloseTo(1500);
    const [served] = replica.advance(1501);
    expect(served?.ttftMs).toBeCloseTo(1000);
    expect(served?.cachedTokens).toBe(0);
    expect(replica.load()).toBe(0);
  });

  it('has a conversation cached, and the system prompt of its program', () => {
    const replica = createReplica(FIGURES);
    const next = (of: Partial<SimulatedRequest>, nowMs: number) => {
      replica.take(request({ arrivedAtMs: nowMs, ...of }), nowMs);
      return replica.advance(nowMs + 10_000)[0];
    };
    next({}, 0);
    expect(next({ promptTokens: 150 }, 10_000)).toMatchObject({ cachedTokens: 110 });
    expect(next({ conversation: 2 }, 20_000)).toMatchObject({ cachedTokens: 0 });
    expect(next({ conversation: 3 }, 30_000)).toMatchObject({ cachedTokens: 20 });
    // The third took the slot that was unused for longest, the first one's.
    expect(next({ promptTokens: 200 }, 40_000)).toMatchObject({ cachedTokens: 20 });
    expect(next({ conversation: 4, app: 2 }, 50_000)).toMatchObject({ cachedTokens: 0 });
  });

  it('slows its streams down while it reads a prompt, and lets requests beyond its slots wait', () => {
    const replica = createReplica(FIGURES);
    replica.take(request({ promptTokens: 1, replyTokens: 100 }), 0);
    replica.advance(10);
    replica.take(request({ conversation: 2, arrivedAtMs: 10 }), 10);
    replica.take(request({ conversation: 3, arrivedAtMs: 10 }), 10);
    // A step of 50 ms and a chunk of 128 tokens, 1280 ms: 100 tokens take 100/128 of that.
    expect(replica.nextMs()).toBeCloseTo(10 + ((50 + 1280) * 100) / 128);
    expect(replica.load()).toBe(3);
    expect(replica.advance(100_000).map((one) => one.request.conversation)).toEqual([2, 3, 1]);
  });

  it('tells of those that wait and those that are cut off when it dies', () => {
    const replica = createReplica(FIGURES);
    replica.take(request({ promptTokens: 1, replyTokens: 100 }), 0);
    replica.advance(100);
    for (const conversation of [2, 3]) replica.take(request({ conversation }), 100);
    const { unanswered, cut } = replica.die();
    expect(cut.map(({ conversation }) => conversation)).toEqual([1]);
    expect(unanswered.map(({ conversation }) => conversation).toSorted()).toEqual([2, 3]);
    expect([replica.load(), replica.nextMs()]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});

describe('routing', () => {
  const loads = Array.from({ length: 20 }, () => 0);
  const view = (down: number[] = []): View => ({
    isUp: (replica) => !down.includes(replica),
    load: (replica) => loads[replica] ?? 0,
    total: () => ({ load: loads.reduce((sum, load) => sum + load, 0), up: loads.length - down.length }),
  });
  const keys = Array.from({ length: 2000 }, (_, index) => index);

  it('in turns leaves out what is down', () => {
    const route = createRoute('round robin', 4, 1, 1);
    expect([1, 2, 3, 4, 5].map((key) => route(key, view([1])))).toEqual([0, 2, 3, 0, 2]);
  });

  it('by load takes the least', () => {
    const route = createRoute('least busy', 20, 1, 1);
    loads.fill(3);
    loads[7] = 1;
    expect(route(1, view())).toBe(7);
    loads.fill(0);
  });

  it('by prefix shares the keys about evenly, and moves only those of a replica that goes', () => {
    const route = createRoute('prefix hash', 20, 1, 1);
    const before = keys.map((key) => route(key, view()));
    const counts = loads.map((_, replica) => before.filter((one) => one === replica).length);
    expect(Math.max(...counts)).toBeLessThan(180);
    expect(Math.min(...counts)).toBeGreaterThan(50);
    const after = keys.map((key) => route(key, view([3])));
    expect(keys.filter((key) => before[key] !== after[key] && before[key] !== 3)).toEqual([]);
    expect(after).not.toContain(3);
  });

  it('by prefix with a bound hands on what is too much for one', () => {
    const route = createRoute('prefix hash, bounded', 20, 2, 1);
    const first = route(5, view());
    for (let times = 0; times < 100; times++) {
      const replica = route(5, view());
      loads[replica] = (loads[replica] ?? 0) + 1;
    }
    expect(loads[first]).toBe(Math.max(...loads));
    expect(Math.max(...loads)).toBeLessThanOrEqual(Math.ceil((2 * 101) / 20));
    loads.fill(0);
  });
});

describe('the workload', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(makeWorkload(WORKLOAD)).toEqual(makeWorkload(WORKLOAD));
    expect(makeWorkload(WORKLOAD)).not.toEqual(makeWorkload({ ...WORKLOAD, seed: 2 }));
  });

  it('fits the window, and has as many conversations and hot keys as it should', () => {
    const workload = makeWorkload({ ...WORKLOAD, durationMs: 3_600_000, hotShare: 0.1 });
    expect(workload.length).toBeGreaterThan(1650);
    expect(workload.length).toBeLessThan(1950);
    const hot = workload.filter(({ key }) => key === -1).length / workload.length;
    expect(hot).toBeGreaterThan(0.07);
    expect(hot).toBeLessThan(0.13);
    const tokens = workload.map(({ systemTokens, turns }) =>
      turns.reduce((sum, turn) => sum + turn.newTokens + turn.replyTokens, systemTokens),
    );
    expect(Math.max(...tokens)).toBeLessThanOrEqual(2048);
  });
});

describe('an agenda', () => {
  it('gives what is earliest, and of one time what came first', () => {
    const agenda = createAgenda<string>();
    for (const [at, thing] of [
      [5, 'e'],
      [1, 'a'],
      [3, 'c'],
      [3, 'd'],
      [2, 'b'],
      [9, 'f'],
    ] as const)
      agenda.add(at, thing);
    expect(Array.from({ length: 7 }, () => agenda.next()?.thing).join('')).toBe('abcdef');
  });
});

describe('a simulated fleet', () => {
  const turnsOf = () => makeWorkload(WORKLOAD).reduce((sum, { turns }) => sum + turns.length, 0);
  const run = (disturbances: Parameters<typeof simulate>[0]['disturbances'] = []) =>
    simulate({
      replicas: 20,
      figures: FIGURES,
      workload: makeWorkload(WORKLOAD),
      disturbances,
      route: createRoute('prefix hash', 20, 1, 1),
    });

  it('answers every turn, and in each run alike', () => {
    const outcome = run();
    expect(outcome.answers).toHaveLength(turnsOf());
    expect(outcome).toMatchObject({ cut: 0, retried: 0 });
    expect(run()).toEqual(outcome);
  });

  it('loses nothing when replicas leave and come back', () => {
    const all = Array.from({ length: 20 }, (_, replica) => ({
      atMs: 5000 + replica * 8000,
      kind: 'leave' as const,
      replicas: [replica],
    }));
    const outcome = run(all);
    expect(outcome.answers).toHaveLength(turnsOf());
    expect(outcome).toMatchObject({ cut: 0, retried: 0 });
  });

  it('cuts off the streams of replicas that die, whose conversations end, and asks the rest again', () => {
    const half = Array.from({ length: 10 }, (_, replica) => replica);
    const outcome = run([{ atMs: 60_000, kind: 'die', replicas: half }]);
    expect(outcome.cut + outcome.retried).toBeGreaterThan(0);
    expect(outcome.answers.length).toBeLessThanOrEqual(turnsOf() - outcome.cut);
  });
});

describe('the table and the plot', () => {
  const plan = { replicas: 20, figures: FIGURES, seed: 1, conversationsPerMinute: 0.5, boundFactor: 2 };
  const [steady] = SCENARIOS;
  if (!steady) throw new Error('there are no scenarios');
  const rows = ROUTES.map((route) => runScenario(plan, steady, route));

  it('show that a hash of the prefix finds more in the caches than turns do', () => {
    const [inTurns, , byPrefix, bounded] = rows.map(({ hitRate }) => hitRate);
    expect(byPrefix).toBeGreaterThan((inTurns ?? 1) + 0.2);
    expect(bounded).toBeGreaterThan((inTurns ?? 1) + 0.2);
  });

  it('have a line and bars for each way to route', () => {
    const cells = (line: string) => line.split('|').length;
    expect(rows.map(toLine).filter((line) => cells(line) !== cells(TABLE_HEAD.split('\n')[0] ?? ''))).toEqual([]);
    const plot = drawPlot(rows, 'a title');
    expect(plot.match(/<rect /g)).toHaveLength(1 + ROUTES.length + 4 * ROUTES.length);
    expect(plot).not.toMatch(/NaN|undefined|Infinity/);
  });
});
