/** Structured logging as the core and the workers see it. Never pass prompts, replies or keys. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** A cause may have a cause, and so on; a line names this many of them. */
const MOST_CAUSES = 4;

/** Any thrown value as fields of a log line: its name and message, its stack, and what caused it. */
export function toLogFields(error: unknown, causes = MOST_CAUSES): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const { name, message, stack, cause } = error;
  return {
    error: `${name}: ${message}`,
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causes > 0 && { cause: toLogFields(cause, causes - 1) }),
  };
}

/** The same log with these fields in every line. They are read with each line, so fields that are set later show from then on. */
export function withFields(log: Log, fields: object): Log {
  return {
    debug: (message, more) => log.debug(message, { ...fields, ...more }),
    info: (message, more) => log.info(message, { ...fields, ...more }),
    warn: (message, more) => log.warn(message, { ...fields, ...more }),
    error: (message, more) => log.error(message, { ...fields, ...more }),
  };
}
