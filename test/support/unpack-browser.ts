import { findChromium } from '../kit/browser/browser.ts';

/**
 * Unpacks the browser before the first test needs it: two tests that do it at the same time would each find the half of the
 * other. Where there is none, the tests that need one say so.
 */
export default async function setup(): Promise<void> {
  await findChromium().catch(() => {});
}
