import { defineConfig } from 'vitest/config';
import { listTests, needsWhatIsMade } from './test/support/projects.ts';

/** The tests that need the build, the models or a browser. */
const BUILT = listTests('test').filter((file) => needsWhatIsMade(file, 'test'));

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: BUILT, isolate: false, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: BUILT,
          // Two cores run the engines, the servers and the tests alike: one file at a time keeps them out of each other's way.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          globalSetup: ['test/support/models.ts'],
        },
      },
    ],
  },
});
