/** One way to run a model, behind the same interface as the others. */
export interface Contestant {
  name: string;
  start(model: BenchmarkModel): Promise<RunningContestant>;
}

export interface BenchmarkModel {
  path: string;
  /** Generations at once. */
  streams: number;
  /** CPU threads. */
  threads: number;
  /** Context window of a stream, in tokens. */
  contextLength: number;
}

export interface RunningContestant extends AsyncDisposable {
  /** Continues one user message greedily by exactly `tokens` tokens, without any cache, and gives the text. */
  generate(message: string, tokens: number): Promise<string>;
}
