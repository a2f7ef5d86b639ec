import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { OUT, WEB } from './scripts.ts';

/** The folder where the compiler puts the types of all modules of the library. */
const ALL_TYPES = join('dist', 'web-types');

/** Adds the library's types to the site. The types of its entry are enough: they refer to no other file. */
export async function addLibraryTypes(): Promise<void> {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const emit = ['--noEmit', 'false', '--emitDeclarationOnly', '--sourceMap', 'false', '--rootDir', '.'];
  await promisify(execFile)(process.execPath, [compiler, '-p', WEB, ...emit, '--outDir', ALL_TYPES]);
  await copyFile(join(ALL_TYPES, WEB, 'client', 'start.d.ts'), join(OUT, 'paddock', 'client.d.ts'));
}
