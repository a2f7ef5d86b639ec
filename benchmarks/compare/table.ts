import { FIGURES, format, ratioTo, type ShownFigure, shownValue } from './figures-shown.ts';
import type { Comparison, Results } from './results.ts';

/**
 * Returns a Markdown table of a model's comparisons: a row for each workload and number of streams, with the medians of
 * all endpoints and, for each peer, the median ratio of the pairs.
 */
export function comparisonTable({ endpoints, comparisons }: Results, model: string): string {
  const peers = endpoints.slice(1);
  const ofModel = comparisons.filter((comparison) => comparison.model === model);
  const measured = FIGURES.filter((figure) =>
    ofModel.some(({ rounds }) => rounds.some((own) => shownValue(own, figure) !== null)),
  );
  const head = [
    'workload',
    'streams',
    ...measured.map(
      ({ title, unit }) =>
        `${title.replace(/^CPU seconds/, 'CPU s')}${unit === 'ms' ? ', ms' : unit === 'MiB' ? ', MiB' : ''}`,
    ),
  ];
  const rows = ofModel.map((comparison) => [
    comparison.workload,
    String(comparison.streams),
    ...measured.map((figure) => cell(comparison, peers.length, figure)),
  ]);
  return markdownTable([head, ...rows]);
}

/**
 * Returns a cell such as `38.0 / 26.2 (1.45x)`: the medians in the order of the endpoints, then the ratio of the first
 * one to each peer.
 */
function cell(comparison: Comparison, peers: number, figure: ShownFigure): string {
  const values = comparison.rounds.map((rounds) => format(shownValue(rounds, figure), figure.digits)).join(' / ');
  const ratios = Array.from({ length: peers }, (_, peer) => ratioTo(comparison, peer, figure))
    .filter((ratio) => ratio !== null)
    .map((ratio) => `${ratio.toFixed(2)}x`);
  return ratios.length > 0 ? `${values} (${ratios.join(', ')})` : values;
}

/** Returns a Markdown table whose first row is the head. Columns are as wide as their widest cell. */
export function markdownTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
