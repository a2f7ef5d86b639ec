const IS_LONG = process.env.PADDOCK_TEST_LONG === '1';

/**
 * Returns how often a test repeats with another seed: `usual` times, or `long` times in `npm run test:long`. More seeds
 * find more bugs, but the regular run must stay short.
 */
export const repeats = (usual: number, long: number): number => (IS_LONG ? long : usual);
