import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Makes stack traces name the lines of the TypeScript sources. A bundle's source map is read when a stack trace first has a frame in the
 * bundle: Node's `--enable-source-maps` reads the maps of all modules at the start, which takes 120 ms of CPU time.
 */
export function showSourceLines(): void {
  const maps = new Map<string, SourceMap | null>();
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${inSource(frame, maps)}`);
    return `${titleOf(error)}${lines.join('')}`;
  };
}

/** Returns the first line of a stack trace, also of an error whose `toString` throws. */
function titleOf(error: Error): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

/** Returns the text of a frame with its place in the source, or in the bundle if there is no map. */
function inSource(frame: NodeJS.CallSite, maps: Map<string, SourceMap | null>): string {
  const text = frame.toString();
  const [url, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!url?.startsWith('file:') || line === null || column === null) return text;
  const map = maps.get(url) ?? readMap(url);
  maps.set(url, map);
  const entry = map?.findEntry(line - 1, column - 1);
  if (!entry || !('originalSource' in entry)) return text;
  const { originalSource, originalLine, originalColumn } = entry;
  const source = fileURLToPath(new URL(originalSource, url));
  return text.replace(`${url}:${line}:${column}`, () => `${source}:${originalLine + 1}:${originalColumn + 1}`);
}

function readMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')));
  } catch {
    return null;
  }
}
