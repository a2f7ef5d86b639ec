import type { Notice } from './state.ts';
import type { Store } from './store.ts';

/** How long a plain notice is shown, in ms: long enough to read a sentence. */
const READ_MS = 4000;
/** How long a notice is shown that offers to undo, in ms: a person also has to decide, and to reach the button. */
const UNDO_MS = 8000;

/**
 * Shows a notice in place of the last one. A plain notice disappears by itself, also while dialogs open and close; a `bad`
 * one stays until the person closes it.
 */
export function showNotice(store: Store, notice: Notice): void {
  store.dispatch({ kind: 'notice', notice });
  if (notice.tone === 'bad') return;
  const end = () => store.get().notice === notice && store.dispatch({ kind: 'notice', notice: null });
  setTimeout(end, notice.undo ? UNDO_MS : READ_MS);
}
