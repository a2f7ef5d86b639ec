import { createInterface } from 'node:readline/promises';
import { Interrupted, UsageError } from '../serve/errors.ts';

/**
 * Asks the user a yes-or-no question. Throws an `Error` with the message `untouched` if the answer is not yes, an
 * `Interrupted` with it after Ctrl-C, and a `UsageError` if there is no terminal.
 */
export async function confirm(question: string, untouched: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError('there is no terminal to ask on: give --yes to go on without asking');
  const readline = createInterface({ input: process.stdin, output: process.stderr });
  const stopped = new AbortController();
  readline.on('SIGINT', () => stopped.abort()).on('close', () => stopped.abort());
  const answer = await readline.question(`${question} [y/N] `, { signal: stopped.signal }).catch(() => '');
  const interrupted = stopped.signal.aborted;
  readline.close();
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw interrupted ? new Interrupted(untouched) : new Error(untouched);
}
