/** The effect of the Enter key in a message. */
export type Enter = 'send' | 'newline';

/** The fields of a keyboard event that decide what a key does. */
export interface KeyPress {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

/** Safari ends an IME composition before it reports the Enter key that confirmed it. That key has this code. */
const COMPOSING = 229;

/** True if this key sends the message. Ctrl+Enter and ⌘+Enter always do, and Shift+Enter never does. */
export function sends(key: KeyPress, enter: Enter): boolean {
  if (key.key !== 'Enter' || key.shiftKey || key.isComposing || key.keyCode === COMPOSING) return false;
  return key.ctrlKey || key.metaKey || (enter === 'send' && !key.altKey);
}
