/** The upper bounds of the histograms, in seconds: from the times of a tiny model to longer than any client waits. */
export const BUCKETS = {
  firstToken: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  betweenTokens: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5],
  request: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  queue: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  load: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
};
