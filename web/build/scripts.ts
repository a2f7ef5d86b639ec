import { join } from 'node:path';
import { build, type InlineConfig } from 'vite';

/** The folder of the sources and of their tsconfig files. */
export const WEB = 'web';
/** The folder of everything that a site needs. */
export const OUT = 'dist-web';

/** A script: `entry` is its source in `WEB`, `file` its name in `OUT`. */
export interface Script {
  entry: string;
  file: string;
  /** The service worker is `classic`, because some browsers take no module there. Only the library has exports. */
  kind: 'classic' | 'module' | 'library';
  /** Names in the source that are replaced by these values. */
  define?: Record<string, unknown>;
}

/** Bundles a script into one file, so that nothing of it is fetched later. */
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

/** Builds the chat page by its own configuration. */
export async function buildPage(): Promise<void> {
  await build({
    configFile: join(WEB, 'chat', 'vite.config.ts'),
    logLevel: 'warn',
    build: { emptyOutDir: false, reportCompressedSize: false },
  });
}
