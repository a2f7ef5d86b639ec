import { join } from 'node:path';
import { build, type InlineConfig } from 'vite';

/** The folder of the sources, which is also the one of their tsconfig files. */
export const WEB = 'web';
/** Where everything that a site needs goes. */
export const OUT = 'dist-web';

/** One script: from its entry to its fixed name in `OUT`. */
export interface Script {
  entry: string;
  file: string;
  /** A service worker is no module, for the sake of browsers that know no other; and only the library has exports. */
  kind: 'classic' | 'module' | 'library';
  /** Names that stand for values. */
  define?: Record<string, unknown>;
}

/** Bundles a script into one file, with nothing of it left to be fetched later. */
export async function buildScript({ entry, file, kind, define = {} }: Script): Promise<void> {
  const config: InlineConfig = {
    configFile: false,
    root: WEB,
    logLevel: 'warn',
    publicDir: false,
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
    build: {
      outDir: join('..', OUT),
      emptyOutDir: false,
      target: 'es2023',
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(WEB, entry),
        preserveEntrySignatures: kind === 'library' ? 'strict' : false,
        output: { format: kind === 'classic' ? 'iife' : 'es', entryFileNames: file, codeSplitting: false },
      },
    },
  };
  await build(config);
}

/** The chat page, as its own configuration has it. */
export async function buildPage(): Promise<void> {
  await build({
    configFile: join(WEB, 'chat', 'vite.config.ts'),
    logLevel: 'warn',
    build: { emptyOutDir: false, reportCompressedSize: false },
  });
}
