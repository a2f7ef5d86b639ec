import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two cores run the engines, the servers and the tests alike: one file at a time keeps them out of each other's way.
    fileParallelism: false,
    globalSetup: ['test/support/models.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
