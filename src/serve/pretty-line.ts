import type { Log } from '../contract/log.ts';
import { type Colours, printable } from './output.ts';

export interface LogLine {
  at: Date;
  level: keyof Log;
  message: string;
  fields: Record<string, unknown>;
}

/** Formats a line of the log for people: local time, level, message, fields. A stack trace follows on separate lines. */
export function prettyLine({ at, level, message, fields }: LogLine, colours: Colours): string {
  const { stack, ...others } = fields;
  const time = at.toTimeString().slice(0, 8);
  const paint = { debug: colours.dim, info: colours.green, warn: colours.yellow, error: colours.red }[level];
  const pairs = Object.entries(others)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${colours.dim(`${name}=`)}${printable(valueText(value))}`);
  const trace = typeof stack === 'string' ? `\n${colours.dim(printable(stack))}` : '';
  return `${colours.dim(time)} ${paint(level.padEnd(5))} ${[message, ...pairs].join(' ')}${trace}`;
}

function valueText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? '';
  return /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}
