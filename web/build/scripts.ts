import { join, resolve } from 'node:path';
import { build, type InlineConfig, type Plugin } from 'vite';
import { DIAGRAMS_FOLDER } from '../../src/site-files.ts';
import { licenceOption } from './licences.ts';

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
  /** False for a script that bundles only packages whose licences the other scripts list. */
  licensed?: boolean;
  /** Modules to replace: the end of a module's path, and the source in `WEB` that takes its place. */
  instead?: Record<string, string>;
}

/** Replaces the validator of the MCP SDK. */
export const NO_AJV = { '/validation/ajv-provider.js': 'mcp/no-validation.ts' };

/** Bundles a script into one file, so that the browser fetches nothing for it later. */
export async function buildScript({
  entry,
  file,
  kind,
  define = {},
  licensed = true,
  instead = {},
}: Script): Promise<void> {
  const config: InlineConfig = {
    configFile: false,
    root: WEB,
    logLevel: 'warn',
    publicDir: false,
    plugins: [replacing(instead)],
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
    build: {
      outDir: join('..', OUT),
      emptyOutDir: false,
      target: 'es2023',
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
      license: licensed && licenceOption(file),
      rolldownOptions: {
        input: join(WEB, entry),
        preserveEntrySignatures: kind === 'library' ? 'strict' : false,
        output: { format: kind === 'classic' ? 'iife' : 'es', entryFileNames: file, codeSplitting: false },
      },
    },
  };
  await build(config);
}

/** Replaces the modules whose names end with these texts by files of `web`. */
export function replacing(instead: Record<string, string>): Plugin {
  return {
    name: 'replacing',
    enforce: 'pre',
    resolveId(source) {
      const [, substitute] = Object.entries(instead).find(([ending]) => source.endsWith(ending)) ?? [];
      return substitute === undefined ? null : resolve(WEB, substitute);
    },
  };
}

const PAGE: InlineConfig = { configFile: join(WEB, 'chat', 'vite.config.ts'), logLevel: 'warn' };

/** Builds the chat page by its own configuration. */
export async function buildPage(): Promise<void> {
  await build({ ...PAGE, build: { emptyOutDir: false, reportCompressedSize: false, license: licenceOption('page') } });
}

/**
 * Builds the frame that draws diagrams. It has a build of its own, so that Mermaid stays out of the files that every
 * visit fetches.
 */
export async function buildDiagrams(): Promise<void> {
  const folder = DIAGRAMS_FOLDER;
  await build({
    ...PAGE,
    publicDir: false,
    build: {
      emptyOutDir: false,
      reportCompressedSize: false,
      license: licenceOption(folder),
      // Mermaid's core is one file of 660 kB.
      chunkSizeWarningLimit: 700,
      rolldownOptions: {
        input: join(WEB, 'chat', folder, 'index.html'),
        output: {
          entryFileNames: `${folder}/main.js`,
          chunkFileNames: `${folder}/[name].js`,
          assetFileNames: `${folder}/[name][extname]`,
        },
      },
    },
  });
}
