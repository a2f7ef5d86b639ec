import type { Results, RoundFigures } from '../../../benchmarks/compare/results.ts';

/** The figures of a round with this speed. */
export function roundOf(tokensPerSecond: number, more: Partial<RoundFigures> = {}): RoundFigures {
  return {
    tokens: 64,
    chunks: 63,
    promptTokens: 30,
    tokensPerSecond,
    firstTokenP50: 100,
    firstTokenP99: 120,
    gapP50: 25,
    gapP99: 30,
    cpuSecondsPer1000: 40,
    peakMiB: 900,
    ...more,
  };
}

/** Two endpoints, one model, two workloads. */
export const sampleResults: Results = {
  date: '2026-11-22',
  commit: 'abc123',
  machine: { processor: 'Some <Xeon>', cores: 2, memoryGiB: 16, system: 'linux 6.1', node: 'v20.20.0' },
  load: { before: 0.1, after: 2 },
  endpoints: [
    { name: 'Paddock', command: 'paddock serve' },
    { name: 'A & B', command: 'http://127.0.0.1:1/v1' },
  ],
  models: [{ name: '0.5b', bytes: 527_873_248, sha256: 'f'.repeat(64) }],
  comparisons: [
    {
      model: '0.5b',
      workload: 'short',
      streams: 1,
      rounds: [
        [roundOf(40), roundOf(20), roundOf(44)],
        [roundOf(20), roundOf(10), roundOf(22)].map((round) => ({ ...round, cpuSecondsPer1000: null, peakMiB: null })),
      ],
    },
    {
      model: '0.5b',
      workload: 'mixed',
      streams: 16,
      rounds: [[roundOf(100)], [roundOf(125)].map((round) => ({ ...round, cpuSecondsPer1000: null, peakMiB: null }))],
    },
  ],
};
