/** Whether this is `npm run test:long`. */
export const IS_LONG = process.env.PADDOCK_TEST_LONG === '1';
/** Whether this is `npm run test:fast` or `npm run test:watch`. */
const IS_FAST = process.env.PADDOCK_TEST_FAST === '1';
/** The fast run takes one in so many of the inputs of `npm test`. */
const FAST_PART = 8;

/**
 * Returns how often a test repeats with another seed: `usual` times, `long` times in `npm run test:long`, and an eighth of
 * `usual` in `npm run test:fast`. More seeds find more bugs, but the regular run must stay short.
 */
export function repeats(usual: number, long: number): number {
  if (IS_LONG) return long;
  return IS_FAST ? Math.ceil(usual / FAST_PART) : usual;
}

/**
 * Returns every so many of the cases, so that each kind of them is in it: all in `npm run test:long`, and an eighth of the
 * usual ones in `npm run test:fast`.
 */
export function sample<Case>(cases: Case[], every = 1): Case[] {
  const step = IS_LONG ? 1 : IS_FAST ? every * FAST_PART : every;
  return cases.filter((_, index) => index % step === 0);
}
