const IS_LONG = process.env.PADDOCK_TEST_LONG === '1';

/**
 * How often a test tries something with another seed: `usual` times, and `long` times in `npm run test:long`. More seeds find
 * more, but a whole run has to stay short enough to be waited for.
 */
export const repeats = (usual: number, long: number): number => (IS_LONG ? long : usual);
