import { readFileSync } from 'node:fs';
import { messageOf, UsageError } from '../errors.ts';

/** Reads a file that the configuration names. `what` it is stands in the `UsageError` that is thrown if it can't be read. */
export function readGivenFile(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${what} can't be read: ${messageOf(error)}`);
  }
}

/** Parses the text of such a file. Throws a `UsageError` if it is not JSON. */
export function parseGivenJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} is not valid JSON: ${messageOf(error)}`);
  }
}
