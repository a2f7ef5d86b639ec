import type { TestProject } from 'vitest/node';
import { findStaleBuild } from '../../tools/build-stamp.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Says why the build is older than the sources. Null as long as it is not. */
    staleBuild: string | null;
  }
}

/** Ends a run of tests whose build is older than the sources: they would test what is no longer there. */
export default async function setup(project: TestProject): Promise<void> {
  const stale = findStaleBuild('.');
  if (stale) {
    project.vitest.logger.error(`The tests of the build can't run. ${stale}`);
    await project.vitest.close();
    process.exit(1);
  }
  project.provide('staleBuild', null);
  // When vitest watches, it goes on after an edit, and each test file refuses.
  project.onTestsRerun(() => project.provide('staleBuild', findStaleBuild('.')));
}
