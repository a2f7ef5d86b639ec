import { describe, expect, it } from 'vitest';
import { createAffinityBalancer } from '../../src/pool/affinity.ts';

const free = (id: number) => ({ id, currentUsage: 0 });
const busy = (id: number) => ({ id, currentUsage: 1 });

describe('the choice of a thread', () => {
  it('sends a conversation to the thread that served its beginning', () => {
    const balance = createAffinityBalancer(1);
    balance('ada: hello', [free(1), busy(2)]);
    balance('bob: hello', [busy(1), free(2)]);
    expect(balance('bob: hello again', [free(1), free(2)])?.id).toBe(2);
    expect(balance('ada: hello again', [free(1), free(2)])?.id).toBe(1);
  });

  it('takes any free thread rather than wait for that one', () => {
    const balance = createAffinityBalancer(1);
    balance('ada: hello', [free(1), free(2)]);
    expect(balance('ada: hello again', [busy(1), free(2)])?.id).toBe(2);
  });

  it('takes none when all slots are taken', () => {
    expect(createAffinityBalancer(1)('x', [busy(1)])).toBeNull();
    expect(createAffinityBalancer(2)('x', [busy(1)])?.id).toBe(1);
  });
});
