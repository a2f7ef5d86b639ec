/**
 * V8's flags for the Node processes and browsers that the kit starts. `vitest.config.ts` sets them for tests, by an
 * environment variable, because some tests start a program that starts a server. Benchmarks run without.
 */
export const V8_FLAGS = (process.env.PADDOCK_TEST_V8_FLAGS ?? '').split(' ').filter(Boolean);
