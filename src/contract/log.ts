/** Structured logging, as the core and the workers use it. Never pass prompts, replies or keys. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Drops all lines. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The most nested causes of an error that one log line has. */
const MOST_CAUSES = 4;

/** Turns any thrown value into fields of a log line: its name and message, its stack, and its cause. */
export function toLogFields(error: unknown, causes = MOST_CAUSES): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const { name, message, stack, cause } = error;
  return {
    error: `${name}: ${message}`,
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causes > 0 && { cause: toLogFields(cause, causes - 1) }),
  };
}

/**
 * Returns the same log with these fields in every line. The fields are read for each line, so a field that is set later
 * is in all lines from then on.
 */
export function withFields(log: Log, fields: object): Log {
  return {
    debug: (message, more) => log.debug(message, { ...fields, ...more }),
    info: (message, more) => log.info(message, { ...fields, ...more }),
    warn: (message, more) => log.warn(message, { ...fields, ...more }),
    error: (message, more) => log.error(message, { ...fields, ...more }),
  };
}
