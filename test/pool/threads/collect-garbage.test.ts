import { expect, it } from 'vitest';
import { collectGarbage } from '../../../src/pool/threads/collect-garbage.ts';

it('what nothing refers to is collected at once', async () => {
  const lost = new WeakRef({ some: 'thing' });
  const kept = { some: 'thing' };
  const known = new WeakRef(kept);
  // A weak reference keeps its object until the turn in which it was made has ended.
  await new Promise(setImmediate);
  collectGarbage();
  expect(lost.deref()).toBeUndefined();
  expect(known.deref()).toBe(kept);
});
