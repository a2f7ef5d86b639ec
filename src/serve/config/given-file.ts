import { readFileSync } from 'node:fs';
import { replaceFile } from '../../replace-file.ts';
import { messageOf } from '../../utils/error-message.ts';
import { UsageError } from '../errors.ts';

/** Reads a file that the configuration names. Throws a `UsageError` if it can't be read. `what` describes the file in the message. */
export function readGivenFile(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${what} can't be read: ${messageOf(error)}`);
  }
}

/** Writes a file as `replaceFile` does. Throws an `Error` that names the file. */
export async function writeGivenFile(path: string, text: string, mode?: number): Promise<void> {
  await replaceFile(path, text, mode).catch((error: unknown) => {
    throw new Error(`${path} can't be written: ${messageOf(error)}`);
  });
}

/** Parses the JSON text of a file. Throws a `UsageError` if it is not JSON. The message does not quote the text, which may hold keys. */
export function parseGivenJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} is not valid JSON${placeOf(messageOf(error), text)}`);
  }
}

/** Returns the line at which a text is wrong, if the parser's message tells it. */
function placeOf(message: string, text: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : `: see line ${text.slice(0, Number(position)).split('\n').length}`;
}
