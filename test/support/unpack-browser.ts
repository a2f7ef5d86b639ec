import { findChromium } from '../kit/browser/browser.ts';

/**
 * Unpacks the browser before the first test: two tests that unpacked it at once would find incomplete files. On a
 * machine without a browser, the tests that need one fail with the reason.
 */
export default async function setup(): Promise<void> {
  await findChromium().catch(() => {});
}
