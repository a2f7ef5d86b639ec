import type { TestProject } from 'vitest/node';
import { findStaleBuild } from '../../tools/build-stamp.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The reason why the build is older than the sources; null if it is not. */
    staleBuild: string | null;
  }
}

/** Ends the test run if the build is older than the sources, because the tests would test old code. */
export default async function setup(project: TestProject): Promise<void> {
  const stale = findStaleBuild('.');
  if (stale) {
    project.vitest.logger.error(`The tests of the build can't run. ${stale}`);
    await project.vitest.close();
    process.exit(1);
  }
  project.provide('staleBuild', null);
  // In watch mode vitest continues after an edit, and each test file refuses a stale build.
  project.onTestsRerun(() => project.provide('staleBuild', findStaleBuild('.')));
}
