/**
 * The costs and the speed of one replica. `npm run measure:replica` writes them to benchmarks/scale/replica.json for
 * the simulation. Times are the fastest of several rounds, because other work may share the machine.
 */
export interface ReplicaFigures {
  /** The measured model and machine, in words. */
  model: string;
  machine: string;
  slots: number;
  contextLength: number;
  /** Time until the server answers /ready, and from there to the first token of the first request, in ms. */
  startMs: number;
  loadMs: number;
  /** Resident memory of the server and of its engine, after the load and with all slots full, in MB. */
  serverMb: number;
  engineMb: number;
  engineFullMb: number;
  /** Prompt tokens per second without a cache. */
  prefillTokensPerSecond: number;
  /** The time of one step, in ms, by the number of streams. */
  stepMs: Record<string, number>;
  /** Time to the first token of a prompt of `promptTokens`, not cached and cached, in ms. */
  ttft: { promptTokens: number; coldMs: number; warmMs: number };
}
