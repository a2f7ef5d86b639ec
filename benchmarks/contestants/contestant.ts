/** A way to run a model. All contestants have this interface. */
export interface Contestant {
  name: string;
  start(model: BenchmarkModel): Promise<RunningContestant>;
}

export interface BenchmarkModel {
  path: string;
  /** The number of generations at once. */
  streams: number;
  /** The number of CPU threads. */
  threads: number;
  /** The context window of one stream, in tokens. */
  contextLength: number;
}

export interface RunningContestant extends AsyncDisposable {
  /** Continues one user message greedily by exactly `tokens` tokens, without any cache. Returns the text. */
  generate(message: string, tokens: number): Promise<string>;
}
