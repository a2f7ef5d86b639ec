import { defineConfig } from 'vitest/config';

/** Modules without state of their own; their tests share one process, which loads each of them once. */
const PURE = ['test/core/**/*.test.ts', 'test/gguf/**/*.test.ts'];

export default defineConfig({
  test: {
    // Two cores run the engines, the servers and the tests alike: one file at a time keeps them out of each other's way.
    fileParallelism: false,
    globalSetup: ['test/support/models.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: PURE } },
    ],
  },
});
