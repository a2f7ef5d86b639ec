import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that the fast tests run in. */
    bareFolder: string;
  }
}

/** The folders that a fresh clone does not have, or that no test reads. */
const LEFT_OUT = ['.git', '.cache', 'coverage', 'dist', 'dist-web', 'node_modules'];

/**
 * Makes the folder that the fast tests run in: links to the files of the repository, without the build. A test there
 * can not read the build. In the repository such a test would pass while an old build exists, and fail in a fresh
 * clone.
 *
 * A link keeps the content of the time when it was made, so in watch mode the tests run in the repository itself.
 */
export default function setup(project: TestProject): (() => void) | undefined {
  if (project.config.watch) {
    project.provide('bareFolder', resolve('.'));
    return undefined;
  }
  mkdirSync('.cache', { recursive: true });
  const folder = resolve(mkdtempSync('.cache/bare-'));
  linkFiles('.', folder);
  project.provide('bareFolder', folder);
  return () => rmSync(folder, { recursive: true });
}

/** Links all files into an existing folder. */
function linkFiles(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (LEFT_OUT.includes(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isFile()) linkSync(source, target);
    else if (entry.isDirectory()) {
      mkdirSync(target);
      linkFiles(source, target);
    }
  }
}
