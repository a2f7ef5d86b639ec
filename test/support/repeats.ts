/** Whether this is `npm run test:long`. */
export const IS_LONG = process.env.PADDOCK_TEST_LONG === '1';

/**
 * Returns how often a test repeats with another seed: `usual` times, or `long` times in `npm run test:long`. More seeds
 * find more bugs, but the regular run must stay short.
 */
export const repeats = (usual: number, long: number): number => (IS_LONG ? long : usual);

/** Returns every so many of the cases, so that each kind of them is in it; in `npm run test:long` all of them. */
export const sample = <Case>(cases: Case[], every: number): Case[] =>
  IS_LONG ? cases : cases.filter((_, index) => index % every === 0);
