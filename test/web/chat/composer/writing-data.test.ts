import { describe, expect, it } from 'vitest';
import { type KeyPress, sends } from '../../../../web/chat/composer/enter.ts';
import { inEnglish } from '../../../../web/chat/messages/translate.ts';
import { commandOf, isApplePlatform, listShortcuts, type ShortcutKey } from '../../../../web/chat/page/shortcuts.ts';
import {
  callAt,
  cleanName,
  listPrompts,
  mergePrompts,
  newPrompt,
  promptProblem,
  promptsFor,
  type SavedPrompt,
} from '../../../../web/chat/prompts/prompts.ts';
import { exportText } from '../../../../web/chat/transfer/export.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';

const NONE = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };

describe('the Enter key', () => {
  const key = (more: Partial<KeyPress> = {}): KeyPress => ({
    key: 'Enter',
    ...NONE,
    isComposing: false,
    keyCode: 13,
    ...more,
  });
  const both = (more: Partial<KeyPress> = {}) => (['send', 'newline'] as const).map((enter) => sends(key(more), enter));

  it('sends if that was chosen, and with Ctrl or ⌘ in any case', () => {
    expect(both()).toEqual([true, false]);
    expect(both({ ctrlKey: true })).toEqual([true, true]);
    expect(both({ metaKey: true })).toEqual([true, true]);
    expect(both({ shiftKey: true })).toEqual([false, false]);
    expect(both({ altKey: true })).toEqual([false, false]);
    expect(both({ key: 'a', ctrlKey: true })).toEqual([false, false]);
  });

  it('does not send while it ends a composition, as in Japanese, in Safari too', () => {
    expect(both({ isComposing: true })).toEqual([false, false]);
    expect(both({ keyCode: 229 })).toEqual([false, false]);
  });
});

describe('a shortcut', () => {
  const key = (name: string, more: Partial<ShortcutKey> = {}): ShortcutKey => ({
    key: name,
    code: `Key${name.toUpperCase()}`,
    ...NONE,
    ...more,
  });
  const held = { altKey: true, shiftKey: true };

  it('is a letter with Alt and Shift, also while something is typed', () => {
    expect(['o', 'F', 'x'].map((name) => commandOf(key(name, held), true))).toEqual(['new', 'search', null]);
    expect(commandOf(key('o', { altKey: true }), false)).toBeNull();
    expect(commandOf(key('o', { ...held, ctrlKey: true }), false)).toBeNull();
    expect(commandOf(key('o'), false)).toBeNull();
  });

  it('is known by its place where Alt writes another character, or the layout has other letters', () => {
    expect(commandOf(key('Ø', { ...held, code: 'KeyO' }), true)).toBe('new');
    expect(commandOf(key('щ', { ...held, code: 'KeyO' }), true)).toBe('new');
    // On an AZERTY keyboard the place of Q has the letter A.
    expect(commandOf(key('w', { ...held, code: 'KeyZ' }), true)).toBe('write');
  });

  it('opens the help by ? outside of fields, and by Ctrl or ⌘ with / anywhere', () => {
    const shift = { shiftKey: true };
    expect([false, true].map((inField) => commandOf(key('?', shift), inField))).toEqual(['help', null]);
    expect(commandOf(key('/', { ctrlKey: true }), true)).toBe('help');
    expect(commandOf(key('/', { metaKey: true }), true)).toBe('help');
    expect(commandOf(key('/'), false)).toBeNull();
  });

  it('is listed by the names that the platform has for its keys', () => {
    expect(['MacIntel', 'iPhone', 'Linux x86_64', 'Win32'].map(isApplePlatform)).toEqual([true, true, false, false]);
    const keys = (isApple: boolean) => listShortcuts(isApple).find(({ label }) => label === 'chats.new')?.keys;
    expect([keys(true), keys(false)]).toEqual([[['⌥', '⇧', 'O']], [['Alt', 'Shift', 'O']]]);
  });
});

describe('prompts', () => {
  const at = (time: number, tab = 'a') => ({ time, tab });
  const prompt = (name: string, text = 'Say it.', time = 1): SavedPrompt =>
    newPrompt(`id ${name}`, name, text, at(time));
  const names = (prompts: SavedPrompt[]) => prompts.map(({ name }) => name.value);

  it('are merged by the later name, text and deletion, in any order', () => {
    const first = prompt('a');
    const renamed = { ...first, name: { value: 'b', at: at(2) } };
    const changed = { ...first, text: { value: 'else', at: at(3, 'b') }, deleted: { value: true, at: at(3, 'b') } };
    const merged = mergePrompts({}, [first, renamed, changed]);
    expect(mergePrompts({}, [changed, first, renamed])).toEqual(merged);
    expect(merged['id a']).toMatchObject({ name: { value: 'b' }, text: { value: 'else' }, deleted: { value: true } });
    expect(listPrompts(merged)).toEqual([]);
    expect(names(listPrompts(mergePrompts(merged, [prompt('z'), prompt('Y')])))).toEqual(['Y', 'z']);
  });

  it('have a name that can be typed, and a text within its limits', () => {
    expect(['/sum', '  my  long name ', '//x'].map(cleanName)).toEqual(['sum', 'my-long-name', 'x']);
    const problem = (name: string, text = 'Say it.') => promptProblem(name, text, [prompt('Taken')], inEnglish);
    expect(problem('free')).toBeNull();
    expect(problem('')).toBe('Give it a name.');
    expect(problem('taken')).toBe('There is a prompt “/taken” already.');
    expect(problem('a'.repeat(41))).toBe('A name may have 40 characters at most.');
    expect(problem('free', ' ')).toBe('Write its text.');
    expect(problem('free', 'a'.repeat(20_001))).toBe('A prompt may have 20,000 characters at most.');
  });

  it('are called by a slash at the beginning of a line', () => {
    expect(callAt('/', 1)).toEqual({ from: 0, typed: '' });
    expect(callAt('Hi\n/sum', 7)).toEqual({ from: 3, typed: 'sum' });
    expect(callAt('/sum more', 3)).toEqual({ from: 0, typed: 'su' });
    expect([callAt('/sum more', 9), callAt('either/or', 9), callAt('a', 0)]).toEqual([null, null, null]);
  });

  it('are offered by the beginning of their names, then by other parts', () => {
    const all = ['code-review', 'review', 'translate'].map((name) => prompt(name));
    expect(names(promptsFor(all, 'RE'))).toEqual(['review', 'code-review']);
    expect(names(promptsFor(all, ''))).toEqual(['code-review', 'review', 'translate']);
  });

  it('survive an export and an import, without deleted ones, and with names that can be typed', () => {
    const kept = prompt('kept', 'Words\nand words.');
    const deleted = { ...prompt('gone'), deleted: { value: true, at: at(2) } };
    const chats = { heads: [], messages: [] };
    expect(importText(exportText(chats, null, [kept, deleted]), 0)).toEqual({ ...chats, prompts: [kept] });
    expect(importText(exportText(chats), 0)).toEqual(chats);
    expect(() => importText(exportText(chats, null, [prompt('two words')]), 0)).toThrow(/prompts\.0\.name\.value/);
    expect(() => importText(exportText(chats, null, [prompt('a', 'a'.repeat(20_001))]), 0)).toThrow(/prompts\.0\.text/);
  });
});
