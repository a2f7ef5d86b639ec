import type { KeyPress } from '../composer/enter.ts';
import type { MessageKey } from '../messages/translate.ts';

/** The effect of a shortcut. */
export type Command = 'help' | 'new' | 'search' | 'write' | 'copy' | 'retry' | 'previous' | 'next';

/**
 * The letters of the commands, pressed with Alt and Shift. Neither browsers nor screen readers use these combinations.
 */
const LETTERS: [letter: string, command: Command, label: MessageKey][] = [
  ['o', 'new', 'chats.new'],
  ['f', 'search', 'chats.searchChats'],
  ['w', 'write', 'help.write'],
  ['c', 'copy', 'help.copy'],
  ['r', 'retry', 'help.retry'],
  ['k', 'previous', 'help.previous'],
  ['j', 'next', 'help.next'],
];

/** The fields of a keyboard event that identify a shortcut. */
export type ShortcutKey = Omit<KeyPress, 'isComposing' | 'keyCode'> & { code: string };

/** Returns the command of a key; null if it has none. `inField` is true if the focus is in a text field. */
export function commandOf(key: ShortcutKey, inField: boolean): Command | null {
  const { ctrlKey, metaKey, altKey, shiftKey } = key;
  if (key.key === '/' && ctrlKey !== metaKey && !altKey) return 'help';
  if (ctrlKey || metaKey) return null;
  if (key.key === '?' && !altKey && !inField) return 'help';
  if (!altKey || !shiftKey) return null;
  return LETTERS.find(([letter]) => letter === letterOf(key))?.[1] ?? null;
}

/** A shortcut in the help. `keys` has the alternatives, each a list of keys that are pressed together. */
export interface ListedShortcut {
  label: MessageKey;
  keys: string[][];
}

/** Returns the shortcuts with this platform's names of the keys. */
export function listShortcuts(isApple: boolean): ListedShortcut[] {
  const [control, alt, shift, leave] = isApple ? ['⌘', '⌥', '⇧', 'esc'] : ['Ctrl', 'Alt', 'Shift', 'Esc'];
  return [
    { label: 'help.send', keys: [[control, 'Enter']] },
    { label: 'help.line', keys: [[shift, 'Enter']] },
    { label: 'help.prompts', keys: [['/']] },
    { label: 'help.stop', keys: [[leave]] },
    ...LETTERS.map(([letter, , label]) => ({ label, keys: [[alt, shift, letter.toUpperCase()]] })),
    { label: 'help.list', keys: [[control, '/'], ['?']] },
  ];
}

/** True for a platform whose keyboards have ⌘ and ⌥. */
export function isApplePlatform(platform: string): boolean {
  return /^(?:mac|iphone|ipad)/i.test(platform);
}

/**
 * Returns the letter of a key. With Alt, some layouts produce another character, and some have no Latin letters: then
 * the position of the key counts.
 */
function letterOf({ key, code }: ShortcutKey): string {
  return /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace('Key', '').toLowerCase();
}
