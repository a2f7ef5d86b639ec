import { describe, expect, it } from 'vitest';
import { newToolCallId } from '../../../src/api/chat/tool-call.ts';

describe('tool call id', () => {
  it('is different for each call', () => {
    const ids = Array.from({ length: 100 }, newToolCallId);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^call_\w{24}$/);
  });
});
