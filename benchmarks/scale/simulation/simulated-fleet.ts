import type { ReplicaFigures } from '../replica.ts';
import { createReplica, type Replica, type Served } from './replica.ts';
import type { SimulatedRequest } from './request.ts';

/** An event of a fleet. `FleetHooks.plan` puts it on the agenda, and `handle` gets it when its time has come. */
export type FleetEvent =
  /** A prompt is read or a reply ends. The event is out of date if the replica's version has changed since. */
  { kind: 'work'; replica: number; version: number } | { kind: 'up'; replica: number };

/** The functions that a fleet calls. */
export interface FleetHooks {
  plan: (atMs: number, event: FleetEvent) => void;
  onServed: (served: Served, nowMs: number) => void;
}

/**
 * The replicas of a simulation, by their numbers. A replica that ends comes back after the time of a start and a load.
 */
export interface SimulatedFleet {
  /** True if the replica takes new requests. */
  isUp(replica: number): boolean;
  /** Replicas that take new requests. */
  up(): number;
  /** Requests that wait or run at the replica. */
  load(replica: number): number;
  /** Gives a request to a replica. */
  take(replica: number, request: SimulatedRequest, nowMs: number): void;
  /** Makes the replicas refuse new requests. A replica that is `leaving` restarts once it has no request left. */
  close(replicas: readonly number[], state: 'leaving' | 'down', nowMs: number): void;
  /** Restarts a replica if it has nothing to do. */
  restartIdle(replica: number, nowMs: number): void;
  /** Ends all requests of a replica and restarts it. Returns them as `Replica.die` does. */
  kill(replica: number, nowMs: number): ReturnType<Replica['die']>;
  /** Handles an event whose time has come. */
  handle(event: FleetEvent, nowMs: number): void;
}

/** Makes a fleet of `count` idle replicas. */
export function createSimulatedFleet(
  count: number,
  figures: ReplicaFigures,
  { plan, onServed }: FleetHooks,
): SimulatedFleet {
  const replicas = Array.from({ length: count }, () => createReplica(figures));
  const states: ('up' | 'leaving' | 'down')[] = replicas.map(() => 'up');
  const versions = replicas.map(() => 0);
  const downMs = figures.startMs + figures.loadMs;
  const of = (replica: number) => replicas[replica] as Replica;
  let up = count;

  const setState = (replica: number, state: 'up' | 'leaving' | 'down') => {
    states[replica] = state;
    up = states.filter((one) => one === 'up').length;
  };
  const schedule = (replica: number) => {
    const version = (versions[replica] ?? 0) + 1;
    versions[replica] = version;
    const atMs = of(replica).nextMs();
    if (atMs < Number.POSITIVE_INFINITY) plan(atMs, { kind: 'work', replica, version });
  };
  const kill = (replica: number, nowMs: number) => {
    setState(replica, 'down');
    const lost = of(replica).die();
    schedule(replica);
    plan(nowMs + downMs, { kind: 'up', replica });
    return lost;
  };
  const restartIdle = (replica: number, nowMs: number) => {
    if (of(replica).load() === 0) kill(replica, nowMs);
  };
  const advance = (replica: number, nowMs: number) => {
    for (const served of of(replica).advance(nowMs)) onServed(served, nowMs);
    if (states[replica] === 'leaving') restartIdle(replica, nowMs);
  };

  return {
    isUp: (replica) => states[replica] === 'up',
    up: () => up,
    load: (replica) => of(replica).load(),
    take(replica, request, nowMs) {
      advance(replica, nowMs);
      of(replica).take(request, nowMs);
      schedule(replica);
    },
    close(closed, state, nowMs) {
      for (const replica of closed) {
        advance(replica, nowMs);
        setState(replica, state);
      }
    },
    restartIdle,
    kill,
    handle(event, nowMs) {
      if (event.kind === 'up') {
        setState(event.replica, 'up');
      } else if (event.version === versions[event.replica]) {
        advance(event.replica, nowMs);
        schedule(event.replica);
      }
    },
  };
}
