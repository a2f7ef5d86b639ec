/** What the Enter key does in a message. */
export type Enter = 'send' | 'newline';

/** The fields of a keyboard event that count. */
export interface Key {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

/** Safari ends a composition before the Enter that ended it, and gives that key this code. */
const COMPOSING = 229;

/** True if this key sends the message. Ctrl+Enter and ⌘+Enter always do, and Shift+Enter never does. */
export function sends(key: Key, enter: Enter): boolean {
  if (key.key !== 'Enter' || key.shiftKey || key.isComposing || key.keyCode === COMPOSING) return false;
  return key.ctrlKey || key.metaKey || (enter === 'send' && !key.altKey);
}
