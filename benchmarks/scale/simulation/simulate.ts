import type { ReplicaFigures } from '../replica.ts';
import { createAgenda } from './agenda.ts';
import type { Served } from './replica.ts';
import type { SimulatedRequest } from './request.ts';
import type { Route } from './routing.ts';
import { createSimulatedFleet, type FleetEvent } from './simulated-fleet.ts';
import type { Conversation } from './workload.ts';

/** A disturbance of some replicas, by their numbers. */
export interface Disturbance {
  atMs: number;
  /** `die` cuts off all streams of the replicas. With `leave`, a replica restarts once its streams have ended. */
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
  /** When the turn was asked, in ms. */
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

/** A turn that is asked at a time on the agenda. */
export interface DueTurn {
  kind: 'turn';
  conversation: Conversation;
  turn: number;
  /** Tokens of all turns before this one. */
  historyTokens: number;
}

/** Lets a fleet answer all conversations. The same input gives the same outcome. */
export function simulate({ replicas: count, figures, workload, disturbances, route }: Simulation): Outcome {
  const agenda = createAgenda<DueTurn | FleetEvent | { kind: 'disturb'; disturbance: Disturbance }>();
  /** The turn of each request that waits or runs. */
  const turns = new Map<SimulatedRequest, DueTurn>();
  const outcome: Outcome = { answers: [], cut: 0, retried: 0, mostLoad: 0 };
  const fleet = createSimulatedFleet(count, figures, {
    plan: (atMs, event) => agenda.add(atMs, event),
    onServed(served, nowMs) {
      outcome.answers.push(toAnswer(served));
      const turn = turns.get(served.request);
      turns.delete(served.request);
      if (turn) agenda.add(nowMs + thinkMsAfter(turn), turnAfter(turn, served));
    },
  });
  const view = {
    isUp: fleet.isUp,
    load: fleet.load,
    total: () => ({ load: turns.size, up: fleet.up() }),
  };

  const send = (request: SimulatedRequest, key: number, nowMs: number) => {
    const replica = route(key, view);
    fleet.take(replica, request, nowMs);
    outcome.mostLoad = Math.max(outcome.mostLoad, fleet.load(replica));
  };
  const begin = (turn: DueTurn, nowMs: number) => {
    const request = toRequest(turn, nowMs);
    if (!request) return;
    turns.set(request, turn);
    send(request, turn.conversation.key, nowMs);
  };
  const kill = (replica: number, nowMs: number) => {
    const { unanswered, cut } = fleet.kill(replica, nowMs);
    // A conversation whose stream was cut off ends there.
    for (const request of cut) turns.delete(request);
    outcome.cut += cut.length;
    outcome.retried += unanswered.length;
    for (const request of unanswered) send(request, turns.get(request)?.conversation.key ?? 0, nowMs);
  };
  const disturb = ({ kind, replicas: hit }: Disturbance, nowMs: number) => {
    fleet.close(hit, kind === 'die' ? 'down' : 'leaving', nowMs);
    for (const replica of hit) {
      if (kind === 'die') kill(replica, nowMs);
      else fleet.restartIdle(replica, nowMs);
    }
  };

  for (const conversation of workload)
    agenda.add(conversation.beginsAtMs, { kind: 'turn', conversation, turn: 0, historyTokens: 0 });
  for (const disturbance of disturbances) agenda.add(disturbance.atMs, { kind: 'disturb', disturbance });
  for (let entry = agenda.next(); entry; entry = agenda.next()) {
    const { atMs, thing } = entry;
    if (thing.kind === 'turn') begin(thing, atMs);
    else if (thing.kind === 'disturb') disturb(thing.disturbance, atMs);
    else fleet.handle(thing, atMs);
  }
  return outcome;
}

/** Returns the request of a turn; null if the conversation has no such turn, and so has ended. */
export function toRequest({ conversation, turn, historyTokens }: DueTurn, nowMs: number): SimulatedRequest | null {
  const { id, app, systemTokens, turns } = conversation;
  const asked = turns[turn];
  if (!asked) return null;
  return {
    conversation: id,
    app,
    systemTokens,
    promptTokens: (turn === 0 ? systemTokens : historyTokens) + asked.newTokens,
    replyTokens: asked.replyTokens,
    arrivedAtMs: nowMs,
  };
}

/** Returns the turn that follows an answered one. */
export function turnAfter({ kind, conversation, turn }: DueTurn, { request }: Served): DueTurn {
  return { kind, conversation, turn: turn + 1, historyTokens: request.promptTokens + request.replyTokens };
}

function thinkMsAfter({ conversation, turn }: DueTurn): number {
  return conversation.turns[turn]?.thinkMs ?? 0;
}

function toAnswer({ request, cachedTokens, ttftMs }: Served): Answer {
  return { atMs: request.arrivedAtMs, promptTokens: request.promptTokens, cachedTokens, ttftMs };
}
