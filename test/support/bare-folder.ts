import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that the fast tests run in. */
    bareFolder: string;
  }
}

/** What a fresh clone does not have, and what no test reads. */
const LEFT_OUT = ['.git', '.cache', 'coverage', 'dist', 'dist-web', 'node_modules'];

/**
 * Makes the folder that the fast tests run in: the repository's files, as links, without the build. A test that reads the
 * build there does not find it. In the repository it would pass as long as an old build lies there, and fail in a clone.
 *
 * Links keep the content of when they were made, so tests that are watched run in the repository itself.
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

/** The target is there already. */
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
