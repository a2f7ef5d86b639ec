import { resolve } from 'node:path';
import { build, type Rolldown } from 'vite';

/** Stands for the text. It lies nowhere, but packages are looked for from here. */
const ENTRY = resolve('bundle-entry.js');

/** An ES module's text together with all that it imports, packages too, as one module for a page. */
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
