import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { listTests, needsWhatIsMade } from './test/support/projects.ts';

/** The tests that need the build, the models or a browser. All others are fast: they run the sources as they are. */
const BUILT = listTests('test').filter((file) => needsWhatIsMade(file, 'test'));

/**
 * V8 compiles WebAssembly without its optimizer. With it, three quarters of a server's CPU time on WebAssembly went into
 * optimizing llama.cpp for replies of some tokens, and the server could not end meanwhile. `npm run test:long` optimizes.
 */
const V8_FLAGS = process.env.PADDOCK_TEST_LONG === '1' ? [] : ['--liftoff-only'];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // On a busy machine a second, which is vitest's own, is not long.
    expect: { poll: { timeout: 20_000 } },
    // A prompt that another test's server has kept would be read from there. Tests of that switch it on.
    env: { PADDOCK_NO_CACHE: '1', PADDOCK_TEST_V8_FLAGS: V8_FLAGS.join(' ') },
    sequence: { sequencer: LongestFirst },
    tags: [
      {
        name: 'slow',
        description:
          'Starts processes, waits for real time, or computes for a second. Left out by `npm run test:fast`.',
      },
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: BUILT,
          // The files of a worker share its modules, which are loaded once.
          isolate: false,
          // One more than there are cores, because some tests wait for timers: 29 s instead of 36 s on two cores.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 0 },
          globalSetup: ['test/support/bare-folder.ts'],
          setupFiles: ['test/support/enter-bare-folder.ts', 'test/support/fixed-seeds.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: BUILT,
          execArgv: V8_FLAGS,
          // As above. What a file opens it closes, and what it sets it takes back.
          isolate: false,
          // As above: a file waits for its browser or server as often as it computes. With one more, a whole run took as long.
          maxWorkers: availableParallelism() + 1,
          // After the fast ones: those would take the time of the engines.
          sequence: { groupOrder: 1 },
          // A real browser or process may stumble where the machine stands still for a moment. The report tells of every further try.
          retry: 2,
          globalSetup: ['test/support/fresh-build.ts', 'test/support/models.ts', 'test/support/unpack-browser.ts'],
          setupFiles: ['test/support/refuse-stale-build.ts', 'test/support/fixed-seeds.ts'],
        },
      },
    ],
  },
});
