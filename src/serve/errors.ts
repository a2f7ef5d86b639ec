/** The exit codes of `paddock`. */
export const EXIT = {
  ok: 0,
  /** The command was valid but failed. */
  failure: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** Ctrl-C ended the command. */
  interrupted: 130,
} as const;

/** The command line, the environment or the configuration file asks for something invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ctrl-C ended the command. The message says which unfinished files remain. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Returns the exit code of a command that throws this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof Interrupted ? EXIT.interrupted : EXIT.failure;
}
