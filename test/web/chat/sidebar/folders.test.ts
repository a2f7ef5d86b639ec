import { describe, expect, it } from 'vitest';
import { erased } from '../../../../web/chat/conversation/tree/erase.ts';
import { merge } from '../../../../web/chat/conversation/tree/merge.ts';
import { newHead, withValues } from '../../../../web/chat/conversation/tree/operations.ts';
import { type Head, NO_CHATS } from '../../../../web/chat/conversation/tree/tree.ts';
import { summariesOf } from '../../../../web/chat/conversation/tree/view.ts';
import { folderName } from '../../../../web/chat/sidebar/folder-name.ts';
import { idsIn, inOrder, shelvesOf } from '../../../../web/chat/sidebar/folders.ts';
import { exportText } from '../../../../web/chat/transfer/export.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';

const at = (time: number, tab = 'a') => ({ time, tab });
/** A chat with its own id as its title. */
const head = (id: string, time: number, values: Parameters<typeof withValues>[1] = {}): Head =>
  withValues(newHead(id, at(time)), { title: id, ...values }, at(time));
const chatsOf = (...heads: Head[]) => merge(NO_CHATS, { heads, messages: [] });
const ids = (all: { id: string }[]) => all.map(({ id }) => id);

describe('the list of chats', () => {
  it('has pinned ones first, then the folders by name, then the others', () => {
    const heads = [
      head('loose', 6),
      head('in ten', 5, { folder: 'Part 10' }),
      head('in two', 4, { folder: 'Part 2' }),
      head('pinned', 3, { pinned: true }),
      head('pinned in ten', 2, { pinned: true, folder: 'Part 10' }),
      head('left', 1, { folder: '' }),
    ];
    const shelves = shelvesOf(summariesOf(chatsOf(...heads)));
    expect(ids(shelves.pinned)).toEqual(['pinned']);
    expect(shelves.folders.map(({ name, chats }) => [name, ids(chats)])).toEqual([
      ['Part 2', ['in two']],
      ['Part 10', ['pinned in ten', 'in ten']],
    ]);
    expect(ids(shelves.loose)).toEqual(['loose', 'left']);
    expect(ids(inOrder(shelves))).toEqual(['pinned', 'in two', 'pinned in ten', 'in ten', 'loose', 'left']);
  });

  it('has no folder whose chats are all deleted', () => {
    const chats = chatsOf(head('gone', 1, { folder: 'Old', deleted: true }));
    expect(shelvesOf(summariesOf(chats)).folders).toEqual([]);
  });
});

describe('the name of a folder', () => {
  it('has no spaces around it, and is a known one if only the case differs', () => {
    expect(folderName('  Work   at home ', [])).toBe('Work at home');
    expect(folderName('work', ['Home', 'Work'])).toBe('Work');
    expect(folderName('work', ['Work', 'work'])).toBe('work');
    expect(folderName('   ', ['Work'])).toBe('');
  });

  it('has no more than 60 characters, also in an import, and ends with a whole one', () => {
    const long = `Notes ${'n'.repeat(80)}`;
    expect(folderName(long, [])).toBe(long.slice(0, 60));
    expect(folderName(`${'n'.repeat(59)}🍞`, [])).toBe('n'.repeat(59));
    expect(folderName(`${'n'.repeat(59)} and more`, [])).toBe('n'.repeat(59));
    expect(folderName(long, [long.slice(0, 60).toUpperCase()])).toBe(long.slice(0, 60).toUpperCase());
    const text = exportText({ heads: [head('c', 1, { folder: `  ${long}` })], messages: [] });
    expect(importText(text, 10).heads.map((one) => one.folder?.value)).toEqual([long.slice(0, 60)]);
  });
});

describe('a folder', () => {
  it('holds deleted chats that can come back, and no erased ones', () => {
    const erasedOne = erased(head('erased', 1, { folder: 'Work', deleted: true }));
    const { heads } = chatsOf(
      head('here', 1, { folder: 'Work' }),
      head('deleted', 1, { folder: 'Work', deleted: true }),
      head('elsewhere', 1, { folder: 'Home' }),
      erasedOne,
    );
    expect(idsIn(heads, 'Work')).toEqual(['here', 'deleted']);
    expect(JSON.stringify(erasedOne)).not.toContain('Work');
  });

  it('of a chat is the one that was chosen last in any tab, whatever else was changed', () => {
    const one = head('c', 1);
    const patches = [
      withValues(one, { folder: 'Work' }, at(2, 'a')),
      withValues(one, { folder: 'Home' }, at(3, 'b')),
      withValues(one, { title: 'renamed' }, at(4, 'a')),
    ].map((changed) => ({ heads: [changed], messages: [] }));
    for (const order of [patches, patches.toReversed()]) {
      expect(summariesOf(order.reduce(merge, NO_CHATS))).toMatchObject([{ title: 'renamed', folder: 'Home' }]);
    }
  });

  it('is in the export, and comes back with an import', () => {
    const text = exportText({ heads: [head('c', 1, { folder: 'Work' }), head('d', 1)], messages: [] });
    const { heads } = importText(text, 10);
    expect(summariesOf(chatsOf(...heads)).map(({ id, folder }) => [id, folder])).toEqual([
      ['c', 'Work'],
      ['d', ''],
    ]);
  });
});
