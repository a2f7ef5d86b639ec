import { medianOf, pairedRatio } from '../statistics.ts';
import type { Comparison, Figure, RoundFigures } from './results.ts';

/** A figure as tables and plots show it. */
export interface ShownFigure {
  key: Figure;
  title: string;
  unit: string;
  digits: number;
  /** The name of the figure's plot; null for figures that are only in the table. */
  plot: string | null;
  better: 'more' | 'less';
}

export const FIGURES: ShownFigure[] = [
  { key: 'tokensPerSecond', title: 'Tokens per second', unit: 'tokens/s', digits: 1, plot: 'speed', better: 'more' },
  { key: 'firstTokenP50', title: 'First token, p50', unit: 'ms', digits: 0, plot: 'first-token', better: 'less' },
  { key: 'firstTokenP99', title: 'First token, p99', unit: 'ms', digits: 0, plot: null, better: 'less' },
  { key: 'gapP50', title: 'Between tokens, p50', unit: 'ms', digits: 1, plot: null, better: 'less' },
  { key: 'gapP99', title: 'Between tokens, p99', unit: 'ms', digits: 1, plot: 'between-tokens', better: 'less' },
  {
    key: 'cpuSecondsPer1000',
    title: 'CPU seconds per 1,000 tokens',
    unit: 'CPU s',
    digits: 1,
    plot: 'cpu',
    better: 'less',
  },
  { key: 'peakMiB', title: 'Peak memory', unit: 'MiB', digits: 0, plot: 'memory', better: 'less' },
];

/** The median of a figure over the rounds of one endpoint. */
export function shownValue(rounds: RoundFigures[], { key }: ShownFigure): number | null {
  return medianOf(rounds.map((round) => round[key]));
}

/** The median ratio of the first endpoint's figure to that of another one, round by round. */
export function ratioTo({ rounds: [own = [], ...peers] }: Comparison, peer: number, { key }: ShownFigure) {
  return pairedRatio(
    own.map((round) => round[key]),
    (peers[peer] ?? []).map((round) => round[key]),
  );
}

/** Returns a value with this many digits after the point; `-` for null. */
export function format(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits);
}
