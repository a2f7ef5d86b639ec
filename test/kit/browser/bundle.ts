import { resolve } from 'node:path';
import { build, type Rolldown } from 'vite';

/** The path of the text as a module. No such file exists, but packages are resolved from its folder. */
const ENTRY = resolve('bundle-entry.js');

/** Returns one module for a page that contains the text of an ES module and all its imports, packages included. */
export async function bundle(code: string): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? ENTRY : null),
        load: (id) => (id === ENTRY ? code : null),
      },
    ],
    build: { write: false, lib: { entry: ENTRY, formats: ['es'], fileName: 'bundle' } },
  })) as Rolldown.RolldownOutput[];
  const [chunk] = built.flatMap(({ output }) => output);
  if (chunk?.type !== 'chunk') throw new Error('Nothing was bundled.');
  return chunk.code;
}
