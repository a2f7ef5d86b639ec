import { defineConfig, type Plugin } from 'vite';
import { LANGUAGES_FOLDER, PDF_FOLDER } from '../../src/site-files.ts';

/** KaTeX lists each font in three formats. Every browser that runs the page takes the first one, WOFF2. */
const firstFontFormat: Plugin = {
  name: 'first-font-format',
  enforce: 'pre',
  transform(code, id) {
    return id.endsWith('katex.min.css') ? code.replace(/,url\([^)]+\.(?:woff|ttf)\) format\("\w+"\)/g, '') : null;
  },
};

/**
 * Builds the chat page: `dist-web/index.html` and its assets. The file names stay the same between builds, and all URLs
 * are relative to the page. Modules that are not always needed are separate files.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [firstFontFormat],
  build: {
    outDir: '../../dist-web',
    emptyOutDir: false,
    target: 'es2023',
    // Nothing is inlined: the page's Content-Security-Policy allows files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/chat.js',
        chunkFileNames: ({ name, facadeModuleId }) => {
          if (facadeModuleId?.endsWith('.json')) return `${LANGUAGES_FOLDER}/[name].js`;
          return name === 'read-pdf' ? `${PDF_FOLDER}/[name].js` : 'assets/[name].js';
        },
        assetFileNames: ({ names: [name = ''] }) => {
          if (name.endsWith('.woff2')) return 'assets/fonts/[name][extname]';
          // Some web servers do not know the type of .mjs files.
          if (name.endsWith('.mjs')) return `${PDF_FOLDER}/[name].js`;
          if (name.endsWith('.bcmap')) return `${PDF_FOLDER}/tables/[name][extname]`;
          return name === 'index.css' ? 'assets/chat.css' : 'assets/[name][extname]';
        },
      },
    },
  },
});
