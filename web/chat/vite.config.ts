import { defineConfig, type Plugin } from 'vite';
import { LANGUAGES_FOLDER, PDF_FOLDER } from '../../src/site-files.ts';

/** KaTeX names each font in three formats. Every browser that runs the page takes the first, WOFF2. */
const firstFontFormat: Plugin = {
  name: 'first-font-format',
  enforce: 'pre',
  transform(code, id) {
    return id.endsWith('katex.min.css') ? code.replace(/,url\([^)]+\.(?:woff|ttf)\) format\("\w+"\)/g, '') : null;
  },
};

/**
 * Builds the chat page: `dist-web/index.html` and its assets. Their names do not change between builds, and all URLs
 * are relative to the page. What a page does not always need is in files of its own.
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
          // Not every web server knows that .mjs is a script.
          if (name.endsWith('.mjs')) return `${PDF_FOLDER}/[name].js`;
          if (name.endsWith('.bcmap')) return `${PDF_FOLDER}/tables/[name][extname]`;
          return name === 'index.css' ? 'assets/chat.css' : 'assets/[name][extname]';
        },
      },
    },
  },
});
