import type { ReplicaFigures } from '../replica.ts';
import { quantile, sum } from '../statistics.ts';
import { createRoute, type RouteName } from './routing.ts';
import { type Disturbance, simulate } from './simulate.ts';
import { makeWorkload } from './workload.ts';

export interface Plan {
  replicas: number;
  figures: ReplicaFigures;
  seed: number;
  /** Conversations that begin at one replica in a minute. */
  conversationsPerMinute: number;
  /** The bound of `prefix hash, bounded`: a replica may have this many times the average load. */
  boundFactor: number;
}

/** One line of the table: a scenario with one way to route. */
export interface Row {
  scenario: string;
  route: RouteName;
  turns: number;
  /** The share of prompt tokens that were cached, 0 to 1. */
  hitRate: number;
  ttftP50Ms: number;
  ttftP99Ms: number;
  mostLoad: number;
  cut: number;
  retried: number;
}

export const ROUTES: RouteName[] = ['round robin', 'least busy', 'prefix hash', 'prefix hash, bounded'];

interface Scenario {
  name: string;
  /** A factor for the load of the plan. */
  load: number;
  hotShare: number;
  disturbances: (replicas: number) => Disturbance[];
}

const MINUTE_MS = 60_000;
const DURATION_MS = 15 * MINUTE_MS;
/** Answers before this time do not count, because the caches are still filling. Disturbances begin then. */
const WARM_MS = 6 * MINUTE_MS;

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const none = () => [];

export const SCENARIOS: Scenario[] = [
  { name: 'steady', load: 1, hotShare: 0, disturbances: none },
  { name: 'half as much again', load: 1.5, hotShare: 0, disturbances: none },
  { name: 'a hot key: 2% of all conversations', load: 1, hotShare: 0.02, disturbances: none },
  {
    name: '1% of the replicas die at once',
    load: 1,
    hotShare: 0,
    disturbances: (replicas) => [{ atMs: WARM_MS, kind: 'die', replicas: numbers(0, Math.ceil(replicas / 100)) }],
  },
  {
    name: 'a rollout, 5% of the replicas each 20 s',
    load: 1,
    hotShare: 0,
    disturbances: (replicas) =>
      numbers(0, 20).map((batch) => ({
        atMs: WARM_MS + batch * 20_000,
        kind: 'leave',
        replicas: numbers(Math.floor((batch * replicas) / 20), Math.floor(((batch + 1) * replicas) / 20)),
      })),
  },
];

/** Runs one scenario with one way to route. */
export function runScenario(plan: Plan, { name, load, hotShare, disturbances }: Scenario, route: RouteName): Row {
  const { replicas, figures, seed, conversationsPerMinute, boundFactor } = plan;
  const workload = makeWorkload({
    seed,
    durationMs: DURATION_MS,
    conversationsPerSecond: (conversationsPerMinute * load * replicas) / 60,
    contextLength: figures.contextLength,
    hotShare,
  });
  const { answers, cut, retried, mostLoad } = simulate({
    replicas,
    figures,
    workload,
    disturbances: disturbances(replicas),
    route: createRoute(route, replicas, boundFactor, seed),
  });
  const counted = answers.filter(({ atMs }) => atMs >= WARM_MS && atMs < DURATION_MS);
  const ttfts = counted.map(({ ttftMs }) => ttftMs);
  return {
    scenario: name,
    route,
    turns: counted.length,
    hitRate: sum(counted, (one) => one.cachedTokens) / sum(counted, (one) => one.promptTokens),
    ttftP50Ms: quantile(ttfts, 0.5),
    ttftP99Ms: quantile(ttfts, 0.99),
    mostLoad,
    cut,
    retried,
  };
}

/** The head of the table in Markdown. */
export const TABLE_HEAD = [
  '| Scenario | Routing | Turns | Cached | TTFT p50 | TTFT p99 | Most at one replica | Streams cut | Retried |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
].join('\n');

/** A row as a line of the table. */
export function toLine({ ttftP50Ms, ttftP99Ms, hitRate, ...row }: Row): string {
  const { scenario, route, turns, mostLoad, cut, retried } = row;
  const cached = `${(hitRate * 100).toFixed(0)}%`;
  return `| ${[scenario, route, turns, cached, seconds(ttftP50Ms), seconds(ttftP99Ms), mostLoad, cut, retried].join(' | ')} |`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
