import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { showNotice } from '../../../../web/chat/state/show-notice.ts';
import type { Notice, State } from '../../../../web/chat/state/state.ts';
import { createStore, type Store } from '../../../../web/chat/state/store.ts';

let store: Store;

const shown = () => store.get().notice?.text ?? null;
const imported: Notice = { text: 'Imported 2 chats.', tone: 'plain' };

beforeEach(() => {
  vi.useFakeTimers();
  const keepNotice = (state: State, action: Parameters<Store['dispatch']>[0]) =>
    action.kind === 'notice' ? { ...state, notice: action.notice } : state;
  store = createStore(keepNotice, { notice: null } as State);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a notice', () => {
  it('disappears once it can be read', () => {
    showNotice(store, imported);
    vi.advanceTimersByTime(3000);
    expect(shown()).toBe('Imported 2 chats.');
    vi.advanceTimersByTime(1000);
    expect(shown()).toBeNull();
  });

  it('stays longer if it offers to undo', () => {
    showNotice(store, { text: 'Deleted “Bread”.', tone: 'plain', undo: () => {} });
    vi.advanceTimersByTime(7000);
    expect(shown()).toBe('Deleted “Bread”.');
    vi.advanceTimersByTime(1000);
    expect(shown()).toBeNull();
  });

  it('stays until it is closed if it reports something bad', () => {
    showNotice(store, { text: 'This file is not JSON.', tone: 'bad' });
    vi.advanceTimersByTime(60_000);
    expect(shown()).toBe('This file is not JSON.');
  });

  it('has its whole time, also where it takes the place of another one', () => {
    showNotice(store, imported);
    vi.advanceTimersByTime(3000);
    showNotice(store, { text: 'Imported 1 chat.', tone: 'plain' });
    vi.advanceTimersByTime(3000);
    expect(shown()).toBe('Imported 1 chat.');
    vi.advanceTimersByTime(1000);
    expect(shown()).toBeNull();
  });
});
