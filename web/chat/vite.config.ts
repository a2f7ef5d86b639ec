import { defineConfig } from 'vite';

/**
 * Builds the chat page: `dist-web/index.html` and its assets. Their names do not change between builds, and all URLs
 * are relative to the page.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: '../../dist-web',
    emptyOutDir: false,
    target: 'es2023',
    // Nothing is inlined: the page's Content-Security-Policy allows files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { entryFileNames: 'assets/chat.js', assetFileNames: 'assets/chat[extname]' },
    },
  },
});
