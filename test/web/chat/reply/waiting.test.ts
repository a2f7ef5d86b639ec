import { describe, expect, it } from 'vitest';
import { newReply, type ReplyTurn, type Turn, turnsBefore } from '../../../../web/chat/conversation/conversation.ts';
import { newMessage } from '../../../../web/chat/conversation/tree/operations.ts';
import { isUnanswered, replyThatGoesOn, withWaiting } from '../../../../web/chat/reply/waiting.ts';
import { talk } from '../window/support.ts';

const user = (id: string): Turn => ({ role: 'user', id, text: id, images: [] });
const reply = (id: string, end: ReplyTurn['end']): ReplyTurn => ({ ...newReply('pico'), id, text: id, end });
const CUT: ReplyTurn['end'] = { kind: 'stopped' };
const WHOLE: ReplyTurn['end'] = { kind: 'finished', reason: 'stop' };
const messagesOf = (...turns: Turn[]) =>
  Object.fromEntries(turns.map((turn) => [turn.id, newMessage('talk', null, turn, { time: 1, tab: 'a' })]));

describe('a conversation', () => {
  it('waits for the reply that was wanted last, beside others that wait', () => {
    const both = withWaiting(withWaiting([], 'a', {}), 'b', { instead: 'r' });
    expect(both).toEqual([{ conversationId: 'a' }, { conversationId: 'b', instead: 'r' }]);
    expect(withWaiting(both, 'a', { continued: 's' })).toEqual([
      { conversationId: 'b', instead: 'r' },
      { conversationId: 'a', continued: 's' },
    ]);
    expect(withWaiting(both, 'b', null)).toEqual([{ conversationId: 'a' }]);
    expect(withWaiting(both, 'c', null)).toBe(both);
  });

  it('is asked up to the turn before a reply', () => {
    const whole = talk(user('q'), reply('a', WHOLE), user('q2'), reply('b', CUT));
    expect(turnsBefore(whole, 'b')).toEqual({ ...whole, turns: whole.turns.slice(0, 3) });
    expect(turnsBefore(whole, 'q')?.turns).toEqual([]);
    expect(turnsBefore(whole, 'gone')).toBeUndefined();
    expect(turnsBefore(undefined, 'b')).toBeUndefined();
  });
});

describe('a reply that waits', () => {
  it('is still wanted while nothing has answered the last turn', () => {
    expect(isUnanswered(talk(user('q')), {}, {})).toBe(true);
    expect(isUnanswered(talk(user('q'), { role: 'tool', id: 't', callId: 'c', text: '4' }), {}, {})).toBe(true);
    expect(isUnanswered(talk(user('q'), reply('a', null)), {}, {})).toBe(false);
    expect(isUnanswered(talk(), {}, {})).toBe(false);
  });

  it('in the place of another one is wanted as long as that is there', () => {
    const old = reply('a', WHOLE);
    expect(isUnanswered(talk(user('q'), old), messagesOf(user('q'), old), { instead: 'a' })).toBe(true);
    expect(isUnanswered(talk(user('q')), messagesOf(user('q')), { instead: 'a' })).toBe(false);
  });

  it('that goes on is wanted as long as its beginning was cut off', () => {
    const cut = reply('a', CUT);
    expect(replyThatGoesOn(talk(user('q'), cut), 'a')).toBe(cut);
    expect(isUnanswered(talk(user('q'), cut), {}, { continued: 'a' })).toBe(true);
    for (const turns of [[user('q'), reply('a', WHOLE)], [user('q'), reply('a', null)], [user('a')], []]) {
      expect(isUnanswered(talk(...turns), {}, { continued: 'a' })).toBe(false);
    }
  });
});
