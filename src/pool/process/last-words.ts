/** A frame of the stack that native code prints when it aborts. */
const FRAME = /^\S+(?:\([^)]*\))?\s?\[0x[0-9a-f]+\]$/;
/** What says most: an error with its text, then an assertion that failed, then any error. */
const TELLING = [/(?:\w+ )?\w*error: \S.*/i, /\S*ASSERT\S*\(.*/, /.*\berror\b.*/i];

/**
 * Says in a line or a few why a process died, from what it wrote at last: its error, else all but the frames of its stack; empty if it
 * wrote nothing.
 */
export function reasonIn(lastWords: string): string {
  const lines = lastWords.split('\n').filter((line) => line.trim() !== '' && !FRAME.test(line.trim()));
  for (const pattern of TELLING) {
    const found = lines.map((line) => pattern.exec(line)?.[0]).find((text) => text !== undefined);
    if (found !== undefined) return withoutFolders(found.trim());
  }
  return lines.map(withoutFolders).join('\n').trim();
}

/** Says how a process ended that did not do its work: in a line, from what it wrote at last. */
export function describeEnd(error: { signal?: string | null } | null, lastWords: string): string {
  const reason = reasonIn(lastWords).split('\n').at(-1) ?? '';
  if (error?.signal) return `it crashed with ${error.signal}${reason === '' ? '' : `: ${reason}`}`;
  return reason || 'it ended without a word';
}

/** Whoever reads a reason is not to learn of the folders of this machine. */
function withoutFolders(line: string): string {
  return line.replace(/(?:\/[^\s/:]+)+\//g, '');
}
