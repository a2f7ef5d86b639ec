import type { ReplicaFigures } from '../replica.ts';
import { createAgenda } from './agenda.ts';
import { createReplica, type Request, type Served } from './replica.ts';
import type { Route, View } from './routing.ts';
import type { Conversation } from './workload.ts';

/** What happens to replicas, by their numbers, at a time. */
export interface Disturbance {
  atMs: number;
  /** `die` cuts off what runs. `leave` lets it end, and only then does the replica restart. */
  kind: 'die' | 'leave';
  replicas: number[];
}

export interface Simulation {
  replicas: number;
  figures: ReplicaFigures;
  workload: Conversation[];
  disturbances: Disturbance[];
  route: Route;
}

/** An answered turn. */
export interface Answer {
  /** When it was asked, in ms. */
  atMs: number;
  promptTokens: number;
  cachedTokens: number;
  ttftMs: number;
}

export interface Outcome {
  answers: Answer[];
  /** Streams that were cut off after their first token. */
  cut: number;
  /** Requests that were sent again because their replica died before the first token. */
  retried: number;
  /** The most requests that one replica had at once, waiting ones included. */
  mostLoad: number;
}

type Thing =
  | { kind: 'turn'; conversation: Conversation; turn: number; historyTokens: number }
  | { kind: 'work'; replica: number; version: number }
  | { kind: 'up'; replica: number }
  | { kind: 'disturb'; disturbance: Disturbance };

/** Lets a fleet answer all conversations. The same input gives the same outcome. */
export function simulate({ replicas: count, figures, workload, disturbances, route }: Simulation): Outcome {
  const agenda = createAgenda<Thing>();
  const replicas = Array.from({ length: count }, () => createReplica(figures));
  const states: ('up' | 'leaving' | 'down')[] = replicas.map(() => 'up');
  const versions = replicas.map(() => 0);
  const downMs = figures.startMs + figures.loadMs;
  /** For each request that runs, the turn that it is. */
  const turns = new Map<Request, Extract<Thing, { kind: 'turn' }>>();
  const outcome: Outcome = { answers: [], cut: 0, retried: 0, mostLoad: 0 };
  const of = (replica: number) => replicas[replica] as (typeof replicas)[number];
  let up = count;

  const view: View = {
    isUp: (replica) => states[replica] === 'up',
    load: (replica) => of(replica).load(),
    total: () => ({ load: turns.size, up }),
  };
  const setState = (replica: number, state: 'up' | 'leaving' | 'down') => {
    states[replica] = state;
    up = states.filter((one) => one === 'up').length;
  };
  const schedule = (replica: number) => {
    versions[replica] = (versions[replica] ?? 0) + 1;
    const atMs = of(replica).nextMs();
    if (atMs < Number.POSITIVE_INFINITY) agenda.add(atMs, { kind: 'work', replica, version: versions[replica] ?? 0 });
  };
  const restart = (replica: number, nowMs: number) => {
    setState(replica, 'down');
    of(replica).die();
    schedule(replica);
    agenda.add(nowMs + downMs, { kind: 'up', replica });
  };
  const settle = (replica: number, served: Served[], nowMs: number) => {
    for (const { request, cachedTokens, ttftMs } of served) {
      const { promptTokens, replyTokens, arrivedAtMs } = request;
      outcome.answers.push({ atMs: arrivedAtMs, promptTokens, cachedTokens, ttftMs });
      const turn = turns.get(request);
      turns.delete(request);
      const thinkMs = turn?.conversation.turns[turn.turn]?.thinkMs ?? 0;
      if (turn)
        agenda.add(nowMs + thinkMs, { ...turn, turn: turn.turn + 1, historyTokens: promptTokens + replyTokens });
    }
    if (states[replica] === 'leaving' && of(replica).load() === 0) restart(replica, nowMs);
  };
  const advance = (replica: number, nowMs: number) => settle(replica, of(replica).advance(nowMs), nowMs);
  const send = (request: Request, key: number, nowMs: number) => {
    const replica = route(key, view);
    advance(replica, nowMs);
    of(replica).take(request, nowMs);
    outcome.mostLoad = Math.max(outcome.mostLoad, of(replica).load());
    schedule(replica);
  };

  const begin = (thing: Extract<Thing, { kind: 'turn' }>, nowMs: number) => {
    const { conversation, turn, historyTokens } = thing;
    const next = conversation.turns[turn];
    if (!next) return;
    const { id, app, key, systemTokens } = conversation;
    const promptTokens = (turn === 0 ? systemTokens : historyTokens) + next.newTokens;
    const request = {
      conversation: id,
      app,
      systemTokens,
      promptTokens,
      replyTokens: next.replyTokens,
      arrivedAtMs: nowMs,
    };
    turns.set(request, thing);
    send(request, key, nowMs);
  };
  const kill = (replica: number, nowMs: number) => {
    const { unanswered, cut } = of(replica).die();
    // A conversation whose stream was cut off ends there.
    for (const request of cut) turns.delete(request);
    outcome.cut += cut.length;
    outcome.retried += unanswered.length;
    restart(replica, nowMs);
    for (const request of unanswered) send(request, turns.get(request)?.conversation.key ?? 0, nowMs);
  };
  const disturb = ({ kind, replicas: hit }: Disturbance, nowMs: number) => {
    for (const replica of hit) {
      advance(replica, nowMs);
      setState(replica, kind === 'die' ? 'down' : 'leaving');
    }
    for (const replica of hit) {
      if (kind === 'die') kill(replica, nowMs);
      else if (of(replica).load() === 0) restart(replica, nowMs);
    }
  };

  for (const conversation of workload)
    agenda.add(conversation.beginsAtMs, { kind: 'turn', conversation, turn: 0, historyTokens: 0 });
  for (const disturbance of disturbances) agenda.add(disturbance.atMs, { kind: 'disturb', disturbance });
  for (let entry = agenda.next(); entry; entry = agenda.next()) {
    const { atMs, thing } = entry;
    if (thing.kind === 'turn') begin(thing, atMs);
    else if (thing.kind === 'disturb') disturb(thing.disturbance, atMs);
    else if (thing.kind === 'up') setState(thing.replica, 'up');
    else if (thing.version === versions[thing.replica]) {
      advance(thing.replica, atMs);
      schedule(thing.replica);
    }
  }
  return outcome;
}
