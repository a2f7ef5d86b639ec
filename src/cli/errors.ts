/** What `paddock` exits with. */
export const EXIT = {
  ok: 0,
  /** It was understood and failed. */
  failure: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

/** The command line, the environment or the configuration file says what can't be done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ctrl-C ended the command; the message says what that leaves behind. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof Interrupted ? EXIT.interrupted : EXIT.failure;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
