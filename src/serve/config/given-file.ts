import { readFileSync } from 'node:fs';
import { replaceFile } from '../../replace-file.ts';
import { messageOf, UsageError } from '../errors.ts';

/** Reads a file that the configuration names. `what` it is stands in the `UsageError` that is thrown if it can't be read. */
export function readGivenFile(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${what} can't be read: ${messageOf(error)}`);
  }
}

/** Writes a file as `replaceFile` does. Throws an `Error` that names it. */
export async function writeGivenFile(path: string, text: string, mode?: number): Promise<void> {
  await replaceFile(path, text, mode).catch((error: unknown) => {
    throw new Error(`${path} can't be written: ${messageOf(error)}`);
  });
}

/** Parses the text of such a file. Throws a `UsageError` if it is not JSON, which does not quote the text: it may have keys. */
export function parseGivenJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} is not valid JSON${placeOf(messageOf(error), text)}`);
  }
}

/** Where a text is wrong, if the parser says so. */
function placeOf(message: string, text: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : `: see line ${text.slice(0, Number(position)).split('\n').length}`;
}
