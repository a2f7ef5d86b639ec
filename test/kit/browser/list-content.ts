import { createHash } from 'node:crypto';

/**
 * Returns the built script of the service worker with other content for one of its files, as a build of that content would have it: by
 * its hash and its size. Throws if the script lists no file of the content `before`.
 */
export function listContent(script: string, before: string, after: string): string {
  const listed = new RegExp(`(?<=hash:.)${hashOf(before)}(?<type>.,type:[^,]*,size:)\\d+`);
  if (!listed.test(script)) throw new Error('The service worker lists no file of this content.');
  return script.replace(listed, `${hashOf(after)}$<type>${Buffer.byteLength(after)}`);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
