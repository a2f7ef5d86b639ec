import type { Log } from '../src/contract/log.ts';

/** The log of a page or worker: writes each line with its fields to the console, without the debug lines. */
export const consoleLog: Log = {
  debug: () => {},
  info: (message, fields) => write('info', message, fields),
  warn: (message, fields) => write('warn', message, fields),
  error: (message, fields) => write('error', message, fields),
};

function write(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown> = {}): void {
  // biome-ignore lint/suspicious/noConsole: this is the one place that writes there
  console[level](`paddock: ${message}`, fields);
}
