import type { Writable } from 'node:stream';
import pc from 'picocolors';

export type Colours = ReturnType<typeof pc.createColors>;

export const plain: Colours = pc.createColors(false);

/** Colours where they are seen: on a terminal that knows them, unless `NO_COLOR` is set. */
export function coloursFor(stream: Writable & { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Colours {
  return pc.createColors(stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb');
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A word on what happens, beside the output. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * Lines of columns two spaces apart, the first row being the head.
 *
 * @param right the columns that stand to the right, by their index
 */
export function formatTable(rows: string[][], { right = [] as number[], colours = plain } = {}): string {
  const clean = rows.map((row) => row.map(printable));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  const lines = clean.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line, index) => (index === 0 ? colours.bold(line) : line)).join('\n');
}

/** Names and their values below one another. */
export function formatFacts(facts: [name: string, value: string][], colours = plain): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${colours.bold(name.padEnd(width))}  ${printable(value)}`).join('\n');
}

/** `4.7 GB`: decimal units, as disks and model hubs count. */
export function formatBytes(bytes: number): string {
  return scale(bytes, ['B', 'kB', 'MB', 'GB', 'TB'], ' ');
}

/** `7.6B`: a count with its thousands as a letter. */
export function formatCount(count: number): string {
  return scale(count, ['', 'K', 'M', 'B', 'T'], '');
}

function scale(value: number, units: string[], gap: string): string {
  let rest = value;
  let unit = 0;
  // What would round to 1000 goes on to the next unit.
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || rest >= 99.95 ? rest.toFixed(0) : rest.toFixed(1);
  return `${digits}${gap}${units[unit]}`;
}

/** `1 file`, `2 files`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** `1:05:09`, `5:09`: a duration in seconds, as a clock shows it. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

/** A text that others wrote, free of the control characters with which it could steer the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it takes away
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
