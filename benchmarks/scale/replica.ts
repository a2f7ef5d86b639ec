/**
 * What one replica costs and does, as `npm run measure:replica` writes it to benchmarks/scale/replica.json for the simulation. Times are those
 * of the fastest of several rounds, because other work may share the machine.
 */
export interface ReplicaFigures {
  /** What was measured, in words. */
  model: string;
  machine: string;
  slots: number;
  contextLength: number;
  /** Until the server answers /ready, and then until the first token of the first request, in ms. */
  startMs: number;
  loadMs: number;
  /** Resident memory of the server and of its engine, in MB, after the load and with all slots filled. */
  serverMb: number;
  engineMb: number;
  engineFullMb: number;
  /** Tokens of a prompt that is not cached, in a second. */
  prefillTokensPerSecond: number;
  /** The time of one step with so many streams, in ms, by the number of streams. */
  stepMs: Record<string, number>;
  /** Until the first token of a prompt of `promptTokens`, not cached and cached, in ms. */
  ttft: { promptTokens: number; coldMs: number; warmMs: number };
}
