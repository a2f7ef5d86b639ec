/** The engine that served a call is gone: its process or thread died. The message is for the log. */
export class EngineDied extends Error {
  override readonly name = 'EngineDied';
  /** Whether somebody else ended it, an operator or the kernel, so that no request need be to blame. */
  readonly killed: boolean;

  /** @param lastWords all that it wrote at last */
  constructor(message: string, killed: boolean, lastWords?: string) {
    super(message, lastWords === undefined ? undefined : { cause: lastWords });
    this.killed = killed;
  }
}
