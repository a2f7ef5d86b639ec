import { describe, expect, it } from 'vitest';
import { createStopFlag } from '../../../../../src/engine/native/llama/context/stop-flag.ts';

describe('the flag that ends a pass', () => {
  it.each([
    ['is clear without a signal', undefined, 0],
    ['is clear with a signal', new AbortController().signal, 0],
    ['is set with a signal that was aborted before', AbortSignal.abort(), 1],
  ])('%s', (_, signal, expected) => {
    const flag = createStopFlag();
    flag.bytes[0] = 1;
    flag.watch(signal, true);
    expect(flag.bytes[0]).toBe(expected);
  });

  it.each([
    ['follows an abort', true, false, 1],
    ['does not follow one in a brief pass', false, false, 0],
    ['does not follow one after the pass', true, true, 0],
  ])('%s', (_, follows, left, expected) => {
    const [flag, controller] = [createStopFlag(), new AbortController()];
    flag.watch(controller.signal, follows);
    if (left) flag.leave(controller.signal);
    controller.abort();
    expect(flag.bytes[0]).toBe(expected);
  });
});
