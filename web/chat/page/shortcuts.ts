import type { Key } from '../composer/enter.ts';
import type { Key as MessageKey } from '../messages/translate.ts';

/** What a shortcut does. */
export type Command = 'help' | 'new' | 'search' | 'write' | 'copy' | 'retry' | 'previous' | 'next';

/** The letters for commands, each with Alt and Shift. No browser uses these, and screen readers have keys of their own. */
const LETTERS: [letter: string, command: Command, label: MessageKey][] = [
  ['o', 'new', 'chats.new'],
  ['f', 'search', 'chats.searchChats'],
  ['w', 'write', 'help.write'],
  ['c', 'copy', 'help.copy'],
  ['r', 'retry', 'help.retry'],
  ['k', 'previous', 'help.previous'],
  ['j', 'next', 'help.next'],
];

/** The fields of a keyboard event that a shortcut is known by. */
export type ShortcutKey = Omit<Key, 'isComposing' | 'keyCode'> & { code: string };

/** Returns what a key does; null if nothing. `inField` is true while something is being typed. */
export function commandOf(key: ShortcutKey, inField: boolean): Command | null {
  const { ctrlKey, metaKey, altKey, shiftKey } = key;
  if (key.key === '/' && ctrlKey !== metaKey && !altKey) return 'help';
  if (ctrlKey || metaKey) return null;
  if (key.key === '?' && !altKey && !inField) return 'help';
  if (!altKey || !shiftKey) return null;
  return LETTERS.find(([letter]) => letter === letterOf(key))?.[1] ?? null;
}

/** A shortcut as the help sheet lists it. Each of `keys` does it; one of them is several keys at once. */
export interface Listed {
  label: MessageKey;
  keys: string[][];
}

/** The shortcuts, by the names that this platform has for its keys. */
export function listShortcuts(isApple: boolean): Listed[] {
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

/** With Alt, some layouts write another character, and some have no Latin letters: then the place of the key counts. */
function letterOf({ key, code }: ShortcutKey): string {
  return /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace('Key', '').toLowerCase();
}
