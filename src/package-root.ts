import { existsSync } from 'node:fs';

/** Returns the folder of Paddock's package.json. It is searched for, since sources and built files lie at different depths below it. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('..', folder);
  return folder;
}

/** The bundles that `npm run build` makes and that are run by name: entry files of processes and worker threads, by `web/build/programs.ts`. */
export type ProgramName = 'decode-audio' | 'engine' | 'find-gpu' | 'inference' | 'prepare' | 'probe' | 'wasm-thread';

/** Returns the URL of a bundle: for a bundle, in its own folder; for sources and compiled files, in `dist/programs`. */
export function programFile(name: ProgramName): URL {
  const [own] = /^.*\/dist\/(?:dev\/)?programs\//.exec(import.meta.url) ?? [];
  return new URL(`${name}.js`, own ?? new URL('dist/programs/', packageRoot()));
}
