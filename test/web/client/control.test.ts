import { expect, it } from 'vitest';
import { whatHelps } from '../../../web/client/control.ts';

it.each([
  [null, true, false, 'go on'],
  [null, false, true, 'go on'],
  ['isolation', true, false, 'reload'],
  // No second time: a browser that can't isolate the page has one thread.
  ['isolation', true, true, 'go on'],
  ['isolation', false, false, 'go on'],
  ['control', true, false, 'reload'],
  ['control', true, true, 'give up'],
  ['control', false, false, 'give up'],
] as const)('a page that lacks %s, may reload: %s, has reloaded: %s, does: %s', (lack, may, before, step) => {
  expect(whatHelps(lack, may, before)).toBe(step);
});
