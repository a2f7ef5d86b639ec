import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchTyping } from '../../../web/client/typing.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a page where nobody types does not wait', async () => {
  await watchTyping(new EventTarget()).whenPaused();
  expect(vi.getTimerCount()).toBe(0);
});

it('a page where a person types waits until they pause for a second', async () => {
  const page = new EventTarget();
  const typing = watchTyping(page);
  page.dispatchEvent(new Event('keydown'));
  let paused = false;
  const waiting = typing.whenPaused().then(() => {
    paused = true;
  });
  for (const kind of ['keydown', 'input', 'pointerdown', 'keydown']) {
    await vi.advanceTimersByTimeAsync(900);
    page.dispatchEvent(new Event(kind));
  }
  await vi.advanceTimersByTimeAsync(900);
  expect(paused).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  await waiting;
});
