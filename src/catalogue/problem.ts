/** Something in a models folder that is not as it should be. */
export interface Problem {
  message: string;
  /** Its path. */
  file: string;
  reason: string;
  /** Of a file that is not whole, in bytes. They change while it is being copied, and the problem stays the same. */
  sizes?: { size: number; expected: number };
}

/** Whether two problems are one and the same, to somebody who has been told of one. */
export function problemKey({ message, file, reason }: Problem): string {
  return JSON.stringify([message, file, reason]);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
