import { describe, expect, it } from 'vitest';
import { newReply, type ReplyTurn, type Turn } from '../../../../../web/chat/conversation/conversation.ts';
import { shownMessages, versionsOf } from '../../../../../web/chat/conversation/tree/branches.ts';
import { chooseCompared, comparedMessages, sayBeside } from '../../../../../web/chat/conversation/tree/compared.ts';
import { merge } from '../../../../../web/chat/conversation/tree/merge.ts';
import {
  addTurn,
  answerAgain,
  deleteMessage,
  fromList,
  newHead,
  sayInstead,
  setDeleted,
  showBranch,
  withValues,
} from '../../../../../web/chat/conversation/tree/operations.ts';
import { createClock } from '../../../../../web/chat/conversation/tree/stamp.ts';
import { NO_CHATS, type Patch } from '../../../../../web/chat/conversation/tree/tree.ts';
import { summariesOf } from '../../../../../web/chat/conversation/tree/view.ts';
import { NO_SETTINGS } from '../../../../../web/chat/settings/settings.ts';

const user = (id: string): Turn => ({ role: 'user', id, text: id, images: [] });
const reply = (id: string): ReplyTurn => ({ ...newReply('pico'), id, text: id });

/** One conversation, and all that is done to it. */
function createTalk() {
  const clock = createClock('a', () => 1);
  let chats = merge(NO_CHATS, { heads: [newHead('c', clock.next())], messages: [] });
  const head = () => chats.heads.c ?? newHead('never', clock.next());
  const messages = () => chats.messages.c ?? {};
  const message = (id: string) => {
    const found = messages()[id];
    if (!found) throw new Error(`there is no message ${id}`);
    return found;
  };
  const take = (patch: Patch) => {
    chats = merge(chats, patch);
  };
  const shown = () => shownMessages(head(), messages()).map(({ id }) => id);
  return {
    say: (...turns: Turn[]) => {
      for (const turn of turns) take(addTurn(head(), shown().at(-1) ?? null, turn, clock.next()));
    },
    sayInstead: (id: string, turn: Turn) => take(sayInstead(head(), messages(), id, turn, clock.next())),
    answerAgain: (id: string, turn: ReplyTurn) => take(answerAgain(head(), messages(), id, turn, clock.next)),
    show: (id: string) => take(showBranch(head(), messages(), id, clock.next())),
    setDeleted: (id: string, deleted: boolean) => take(setDeleted(message(id), deleted, clock.next())),
    sayBeside: (first: string, turn: ReplyTurn) => take(sayBeside(head(), messages(), first, turn, clock.next())),
    choose: (id: string) => take(chooseCompared(head(), messages(), id, clock.next())),
    compared: () => comparedMessages(head(), messages()).map(({ id }) => id),
    remove: (id: string) => take(deleteMessage(head(), messages(), id, clock.next)),
    set: (values: Parameters<typeof withValues>[1]) =>
      take({ heads: [withValues(head(), values, clock.next())], messages: [] }),
    shown,
    versions: (id: string) => versionsOf(messages(), id),
    summaries: () => summariesOf(chats),
  };
}

describe('a conversation', () => {
  it('keeps the old answer when a question is asked again, and all that was said after it', () => {
    const talk = createTalk();
    talk.say(user('q'), reply('a'), user('q2'), reply('a2'));
    talk.sayInstead('a', reply('b'));
    expect(talk.shown()).toEqual(['q', 'b']);
    expect(talk.versions('b')).toEqual(['a', 'b']);
    talk.show('a');
    expect(talk.shown()).toEqual(['q', 'a', 'q2', 'a2']);
  });

  it('keeps no answer that failed before its first word when another one is asked for', () => {
    const talk = createTalk();
    const empty = { ...reply('failed'), text: '' };
    talk.say(user('q'), empty);
    talk.answerAgain('failed', reply('a'));
    expect(talk.versions('a')).toEqual(['a']);
    talk.answerAgain('a', { ...empty, id: 'thoughts', reasoning: 'Hm' });
    talk.answerAgain('thoughts', reply('b'));
    expect(talk.versions('b')).toEqual(['a', 'thoughts', 'b']);
    expect(talk.shown()).toEqual(['q', 'b']);
  });

  it('keeps the first question when it is edited, and goes on where it was said last', () => {
    const talk = createTalk();
    talk.say(user('q'), reply('a'));
    talk.sayInstead('q', user('p'));
    talk.say(reply('b'), user('more'));
    expect(talk.shown()).toEqual(['p', 'b', 'more']);
    talk.show('q');
    talk.say(user('again'));
    expect(talk.shown()).toEqual(['q', 'a', 'again']);
    talk.show('p');
    expect(talk.shown()).toEqual(['p', 'b', 'more']);
    expect(talk.versions('p')).toEqual(['q', 'p']);
  });

  it('loses one message when it is deleted, not what came after it, and gets it back', () => {
    const talk = createTalk();
    talk.say(user('q'), reply('a'), user('q2'));
    talk.setDeleted('a', true);
    expect(talk.shown()).toEqual(['q', 'q2']);
    talk.setDeleted('q2', true);
    expect(talk.shown()).toEqual(['q']);
    talk.setDeleted('a', false);
    talk.setDeleted('q2', false);
    expect(talk.shown()).toEqual(['q', 'a', 'q2']);
  });

  it('shows the other versions of what follows a deleted message', () => {
    const talk = createTalk();
    talk.say(user('q'), reply('a'));
    talk.sayInstead('a', reply('b'));
    talk.setDeleted('q', true);
    expect(talk.versions('b')).toEqual(['a', 'b']);
    talk.setDeleted('a', true);
    expect(talk.versions('b')).toEqual(['b']);
  });

  it('shows another version in the place of its last message when that is deleted', () => {
    const talk = createTalk();
    talk.say(user('q'), reply('a'), user('q2'));
    talk.sayInstead('a', reply('b'));
    talk.remove('b');
    expect(talk.shown()).toEqual(['q', 'a', 'q2']);
    talk.setDeleted('b', false);
    talk.show('b');
    talk.remove('q');
    expect(talk.shown()).toEqual(['b']);
    talk.show('a');
    talk.remove('q2');
    expect(talk.shown()).toEqual(['a']);
  });

  it('loses the results of calls with the reply that called, and nothing else', () => {
    const talk = createTalk();
    const result = (id: string): Turn => ({ role: 'tool', id, callId: 'c', text: id });
    talk.say(user('q'), reply('a'), result('r'), result('s'), reply('b'), user('q2'));
    talk.remove('a');
    expect(talk.shown()).toEqual(['q', 'b', 'q2']);
    talk.remove('q2');
    expect(talk.shown()).toEqual(['q', 'b']);
  });

  it('has two replies beside each other until one is chosen, and keeps both', () => {
    const talk = createTalk();
    talk.say(user('q'), reply('a'));
    expect(talk.compared()).toEqual([]);
    talk.sayBeside('a', reply('b'));
    expect(talk.compared()).toEqual(['a', 'b']);
    expect(talk.shown()).toEqual(['q', 'a']);
    talk.choose('b');
    expect(talk.compared()).toEqual([]);
    expect(talk.shown()).toEqual(['q', 'b']);
    expect(talk.versions('b')).toEqual(['a', 'b']);
  });

  it('compares no more once something is said after one of them, or one is deleted', () => {
    const talk = createTalk();
    talk.say(user('q'), reply('a'));
    talk.sayBeside('a', reply('b'));
    talk.remove('a');
    expect(talk.compared()).toEqual([]);
    expect(talk.shown()).toEqual(['q', 'b']);
    talk.setDeleted('a', false);
    expect(talk.compared()).toEqual(['a', 'b']);
    talk.say(user('q2'));
    expect(talk.compared()).toEqual([]);
  });

  it('has the title of its first question until it is renamed', () => {
    const talk = createTalk();
    talk.say(user('What?'), reply('a'), user('Why?'));
    expect(talk.summaries()).toMatchObject([{ title: 'What?' }]);
    talk.set({ title: 'Mine' });
    talk.say(user('When?'));
    expect(talk.summaries()).toMatchObject([{ title: 'Mine' }]);
  });

  it('is not listed while it is deleted, and comes back with what is said in it', () => {
    const talk = createTalk();
    talk.say(user('q'));
    talk.set({ deleted: true });
    expect(talk.summaries()).toEqual([]);
    talk.say(user('still here'));
    expect(talk.summaries()).toHaveLength(1);
  });

  it('that was a list of turns becomes a tree of one branch, even with ids that come twice', () => {
    const turns = [user('q'), reply('a'), user('q')];
    const list = { id: 'c', title: 'T', createdAt: 1, updatedAt: 9, model: 'pico', settings: NO_SETTINGS, turns };
    const { heads, messages } = merge(NO_CHATS, fromList(list));
    const head = heads.c;
    if (!head) throw new Error('it has a head');
    expect(head).toMatchObject({ createdAt: 1, updatedAt: 9, title: { value: 'T' }, model: { value: 'pico' } });
    expect(shownMessages(head, messages.c ?? {}).map(({ turn }) => turn.value.text)).toEqual(['q', 'a', 'q']);
  });
});

describe('a clock', () => {
  it('never gives a stamp twice, nor one that is earlier than what it has seen', () => {
    const clock = createClock('a', () => 10);
    expect([clock.next().time, clock.next().time]).toEqual([10, 11]);
    clock.see({ time: 50, tab: 'b' });
    expect(clock.next().time).toBe(51);
  });

  it('goes on after a time that no date can have', () => {
    const clock = createClock('a', () => 10);
    clock.see({ time: 1e300, tab: 'b' });
    const [first, second] = [clock.next(), clock.next()];
    expect(second.time).toBeGreaterThan(first.time);
  });
});
