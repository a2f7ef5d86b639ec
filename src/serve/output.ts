import type { Writable } from 'node:stream';
import pc from 'picocolors';
import { scaleByThousands } from '../utils/bytes.ts';

export type Colours = ReturnType<typeof pc.createColors>;

/** Leaves texts as they are. */
export const plain: Colours = pc.createColors(false);

/** Returns colours for a terminal, unless `NO_COLOR` is set or the terminal shows none. Otherwise texts stay plain. */
export function coloursFor(stream: Writable & { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Colours {
  return pc.createColors(stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb');
}

/** Writes a line of the command's output to standard output. Remarks go to `note`. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a value to standard output as JSON, indented for people. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Writes a remark to standard error, apart from the command's output. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * Aligns columns two spaces apart. The first row is the head.
 *
 * @param right the indices of the columns that are aligned to the right
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

/** Writes each name and its value on a line. */
export function formatFacts(facts: [name: string, value: string][], colours = plain): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${colours.bold(name.padEnd(width))}  ${printable(value)}`).join('\n');
}

/** Writes a count with a letter for its thousands: `7.6B`. */
export function formatCount(count: number): string {
  return scaleByThousands(count, ['', 'K', 'M', 'B', 'T'], '');
}

/** Writes a count and its noun: `1 file`, `2 files`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** Writes a duration in seconds as a clock shows it: `5:09`, `1:05:09`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

/** Removes control characters from a text that others wrote: they could move the cursor or change colours. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes exactly these
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
