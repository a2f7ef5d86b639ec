import { describe, expect, it } from 'vitest';
import { merge } from '../../../../web/chat/conversation/tree/merge.ts';
import { addTurn, newHead, sayInstead, setCut, setDeleted } from '../../../../web/chat/conversation/tree/operations.ts';
import { createClock } from '../../../../web/chat/conversation/tree/stamp.ts';
import { type Chats, NO_CHATS, type Patch } from '../../../../web/chat/conversation/tree/tree.ts';
import { conversationOf } from '../../../../web/chat/conversation/tree/view.ts';
import { exportText } from '../../../../web/chat/transfer/export.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';
import { reply, user } from './support.ts';

const clock = createClock('a', () => 1_790_000_000_000);

function headOf({ heads }: Chats) {
  const head = heads.c;
  if (!head) throw new Error('there is no conversation');
  return head;
}

function messageOf({ messages }: Chats, id: string) {
  const message = messages.c?.[id];
  if (!message) throw new Error(`there is no message ${id}`);
  return message;
}

const leftOut = (chats: Chats) => conversationOf(headOf(chats), chats.messages.c ?? {}, new Set()).leftOut;

/** Two questions and their answers; the first two turns are left out. */
function start(): Chats {
  const head = newHead('c', clock.next());
  let chats = merge(NO_CHATS, { heads: [head], messages: [] });
  let last: string | null = null;
  for (const turn of [user('q'), reply('a'), user('q2'), reply('a2')]) {
    chats = merge(chats, addTurn(headOf(chats), last, turn, clock.next()));
    last = turn.id;
  }
  return merge(chats, setCut(messageOf(chats, 'a'), { summary: 'They talked.' }, clock.next()));
}

describe('what is left out of a conversation', () => {
  it('is all up to the message with the cut, and nothing once it is taken in again', () => {
    const chats = start();
    expect(leftOut(chats)).toEqual({ messageId: 'a', turns: 2, summary: 'They talked.' });
    expect(leftOut(merge(chats, setCut(messageOf(chats, 'a'), null, clock.next())))).toBeUndefined();
  });

  it('stays left out on a branch that goes on from there, and not on one that begins before', () => {
    const chats = start();
    const other = merge(chats, sayInstead(headOf(chats), chats.messages.c ?? {}, 'q2', user('q3'), clock.next()));
    expect(leftOut(other)?.turns).toBe(2);
    const before = merge(chats, sayInstead(headOf(chats), chats.messages.c ?? {}, 'q', user('r'), clock.next()));
    expect(leftOut(before)).toBeUndefined();
  });

  it('stays left out if one of its messages is deleted, even the one with the cut', () => {
    const chats = start();
    const deleted = merge(chats, setDeleted(messageOf(chats, 'a'), true, clock.next()));
    expect(leftOut(deleted)).toEqual({ messageId: 'a', turns: 1, summary: 'They talked.' });
  });

  it('is the later choice of two tabs, in whatever order they learn of it', () => {
    const chats = start();
    const edit = setCut(messageOf(chats, 'a'), { summary: 'They laughed.' }, clock.next());
    const back: Patch = setCut(messageOf(chats, 'a'), null, clock.next());
    expect(leftOut(merge(merge(chats, edit), back))).toBeUndefined();
    expect(leftOut(merge(merge(chats, back), edit))).toBeUndefined();
  });

  it('survives export and import', () => {
    const chats = start();
    const text = exportText({ heads: [headOf(chats)], messages: Object.values(chats.messages.c ?? {}) });
    expect(leftOut(merge(NO_CHATS, importText(text, Date.now())))).toEqual(leftOut(chats));
  });
});
