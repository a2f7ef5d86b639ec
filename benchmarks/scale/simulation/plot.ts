import { ROUTES, type Row } from './scenarios.ts';

const COLOURS = ['#b0b7bf', '#7a93ac', '#d98e32', '#2a7f62'];
const WIDTH = 960;
const LEFT = 70;
const PANEL = 170;
const TOP = 90;
const GAP = 60;
const BAR = 34;
const TEXT = 'font-family="sans-serif" fill="#222"';

interface Panel {
  title: string;
  top: number;
  of: (row: Row) => number;
  /** The height of a value, 0 to 1. */
  scale: (value: number) => number;
  marks: number[];
  label: (value: number) => string;
}

/**
 * Draws the hit rates and the times to the first token as SVG: a group of bars for each scenario, a bar for each way to
 * route.
 */
export function drawPlot(rows: Row[], title: string): string {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  const group = (WIDTH - LEFT - 20) / scenarios.length;
  const times = { ...logarithmic(100, 1_000_000), label: toSeconds };
  const panels = stack([
    {
      title: 'prompt tokens that were cached',
      of: ({ hitRate }) => hitRate,
      scale: (share) => share,
      marks: [0, 0.25, 0.5, 0.75, 1],
      label: (share) => `${Math.round(share * 100)}%`,
    },
    { title: 'time to first token, median', of: ({ ttftP50Ms }) => ttftP50Ms, ...times },
    { title: 'time to first token, 99 of 100', of: ({ ttftP99Ms }) => ttftP99Ms, ...times },
    { title: 'most requests at one replica', of: ({ mostLoad }) => mostLoad, ...logarithmic(1, 1000), label: String },
  ]);
  const height = TOP + panels.length * (PANEL + GAP) + 10;
  const legend = ROUTES.map((route, index) => {
    const x = LEFT + index * 190;
    return `<rect x="${x}" y="42" width="14" height="14" fill="${COLOURS[index]}"/>${text(x + 20, 54, route)}`;
  });
  const drawn = panels.flatMap((panel) => [
    ...drawAxis(panel),
    ...scenarios.flatMap((name, at) =>
      drawGroup(
        panel,
        rows.filter(({ scenario }) => scenario === name),
        LEFT + at * group,
        group,
      ),
    ),
  ]);
  const names = scenarios.flatMap((name, at) =>
    inTwo(name).map((line, row) => text(LEFT + (at + 0.5) * group, height - 50 + 16 * row, line, 'middle')),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${LEFT}" y="26" font-size="16" ${TEXT}>${title}</text>`,
    ...legend,
    ...drawn,
    ...names,
    '</svg>\n',
  ].join('\n');
}

/** Puts panels below one another. */
function stack(panels: Omit<Panel, 'top'>[]): Panel[] {
  return panels.map((panel, index) => ({ ...panel, top: TOP + index * (PANEL + GAP) }));
}

/** Marks from the least to the most value, each ten times the one below, at equal distances. */
function logarithmic(least: number, most: number): Pick<Panel, 'scale' | 'marks'> {
  const decades = Math.log10(most / least);
  return {
    scale: (value) => Math.log10(Math.max(value, least) / least) / decades,
    marks: Array.from({ length: Math.round(decades) + 1 }, (_, index) => least * 10 ** index),
  };
}

function toSeconds(ms: number): string {
  return `${ms >= 10_000 ? Math.round(ms / 1000) : (ms / 1000).toFixed(1)} s`;
}

/** Breaks a text at the space that is nearest to its middle. */
function inTwo(name: string): string[] {
  const middle = name.length / 2;
  const spaces = [...name.matchAll(/ /g)].map(({ index }) => index);
  const [nearest] = spaces.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  return nearest === undefined || name.length < 20 ? [name] : [name.slice(0, nearest), name.slice(nearest + 1)];
}

function drawAxis({ title, top, scale, marks, label }: Panel): string[] {
  const lines = marks.map((mark) => {
    const y = top + PANEL * (1 - scale(mark));
    return `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y}" y2="${y}" stroke="#ddd"/>${text(LEFT - 8, y + 4, label(mark), 'end')}`;
  });
  return [text(LEFT, top - 10, title), ...lines];
}

function drawGroup({ top, of, scale, label }: Panel, rows: Row[], left: number, width: number): string[] {
  const start = left + (width - BAR * rows.length) / 2;
  return rows.map((row, index) => {
    const value = of(row);
    const height = Math.max(1, PANEL * Math.min(1, scale(value)));
    const [x, y] = [start + index * BAR, top + PANEL - height];
    const bar = `<rect x="${x + 2}" y="${y.toFixed(1)}" width="${BAR - 4}" height="${height.toFixed(1)}" fill="${COLOURS[ROUTES.indexOf(row.route)]}"/>`;
    return bar + text(x + BAR / 2, Number(y.toFixed(1)) - 3, label(value), 'middle', 10);
  });
}

function text(x: number, y: number, content: string, anchor = 'start', size = 12): string {
  return `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}" ${TEXT}>${content}</text>`;
}
