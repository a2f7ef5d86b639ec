import { format, type ShownFigure, shownValue } from './figures-shown.ts';
import type { Comparison, Results } from './results.ts';

const COLOURS = ['#2563eb', '#9ca3af', '#d97706', '#059669'];
const BAR = 12;
const GAP = 14;
const LABELS = 190;
const BARS = 430;
const FIGURES_AT_END = 80;
const TOP = 58;

/**
 * Returns an SVG of one figure: a group of bars for each workload and number of streams, with a bar for each endpoint,
 * all on one scale.
 */
export function plotFigure({ endpoints, comparisons }: Results, figure: ShownFigure): string {
  const most = Math.max(
    Number.MIN_VALUE,
    ...comparisons.flatMap(({ rounds }) => rounds.map((own) => shownValue(own, figure) ?? 0)),
  );
  const groupHeight = endpoints.length * BAR + GAP;
  const models = new Set(comparisons.map(({ model }) => model)).size;
  const groups = comparisons.map((comparison, index) =>
    plotGroup(comparison, figure, TOP + index * groupHeight, most, models > 1),
  );
  const width = LABELS + BARS + FIGURES_AT_END;
  const height = TOP + comparisons.length * groupHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="20" font-size="14" font-weight="600" fill="#111827">${escapeXml(`${figure.title} (${figure.unit}, ${figure.better} is better)`)}</text>`,
    ...endpoints.map(({ name }, index) => plotLegend(name, index)),
    ...groups.flat(),
    '</svg>',
    '',
  ].join('\n');
}

function plotLegend(name: string, index: number): string {
  const x = 12 + index * 130;
  return `<rect x="${x}" y="32" width="10" height="10" fill="${colourOf(index)}"/><text x="${x + 15}" y="41" fill="#374151">${escapeXml(name)}</text>`;
}

function plotGroup(
  { model, workload, streams, rounds }: Comparison,
  figure: ShownFigure,
  top: number,
  most: number,
  namesModel: boolean,
): string[] {
  const label = `${namesModel ? `${model}: ` : ''}${workload}, ${streams} ${streams === 1 ? 'stream' : 'streams'}`;
  const middle = top + (rounds.length * BAR) / 2 + 4;
  const bars = rounds.flatMap((own, index) => {
    const value = shownValue(own, figure);
    if (value === null) return [];
    const y = top + index * BAR;
    const width = Math.max(1, (value / most) * BARS);
    return [
      `<rect x="${LABELS}" y="${y}" width="${width.toFixed(1)}" height="${BAR - 2}" fill="${colourOf(index)}"/>`,
      `<text x="${(LABELS + width + 5).toFixed(1)}" y="${y + 9}" fill="#374151">${format(value, figure.digits)}</text>`,
    ];
  });
  return [`<text x="${LABELS - 8}" y="${middle}" text-anchor="end" fill="#111827">${escapeXml(label)}</text>`, ...bars];
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? '#000000';
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
