import { describe, expect, it } from 'vitest';
import {
  type Conversation,
  newConversation,
  newReply,
  openCalls,
  type ReplyTurn,
  settled,
  type Turn,
  upTo,
  withReply,
  withTurns,
} from '../../../web/chat/data/conversation.ts';
import type { ListedModel } from '../../../web/chat/data/model.ts';
import { toChatRequest } from '../../../web/chat/data/request.ts';
import { readSampling, readTools, SAMPLING_FIELDS, withSampling } from '../../../web/chat/data/settings.ts';
import { initialState, modelOf, reduce, type State } from '../../../web/chat/data/state.ts';
import { exportText, importText } from '../../../web/chat/data/transfer.ts';

const user = (text: string, images: string[] = []): Turn => ({ role: 'user', id: `user ${text}`, text, images });
const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'look', arguments: '{}' } });
const reply = (text: string, more: Partial<ReplyTurn> = {}): ReplyTurn => ({
  ...newReply('pico'),
  id: `reply ${text}`,
  text,
  end: { kind: 'finished', reason: 'stop' },
  ...more,
});
const talk = (...turns: Turn[]): Conversation => withTurns(newConversation(1), turns, 2);

describe('a conversation', () => {
  it('has its first text as title, on one line and short', () => {
    expect(talk(user('  What is\n this? ')).title).toBe('What is this?');
    expect(Array.from(talk(user('😀'.repeat(100))).title)).toHaveLength(60);
    expect(talk(user('', ['data:image/png;base64,AA=='])).title).toBe('An image');
    expect(withTurns(talk(user('First')), [reply('yes'), user('Second')], 3)).toMatchObject({
      title: 'First',
      updatedAt: 3,
    });
  });

  it('can be cut off before a turn, and can replace a reply', () => {
    const whole = talk(user('a'), reply('b'), user('c'));
    expect(upTo(whole, 'reply b').turns).toEqual([user('a')]);
    expect(upTo(whole, 'nothing')).toBe(whole);
    const other = { ...reply('b'), text: 'B' };
    expect(withReply(whole, other).turns.map((turn) => turn.text)).toEqual(['a', 'B', 'c']);
  });

  it('waits for the results of the last calls only', () => {
    const asking = talk(user('a'), reply('', { calls: [call('1'), call('2')] }));
    expect(openCalls(asking).map(({ id }) => id)).toEqual(['1', '2']);
    const answered = withTurns(asking, [{ role: 'tool', id: 't', callId: '1', text: 'here' }], 3);
    expect(openCalls(answered).map(({ id }) => id)).toEqual(['2']);
    expect(openCalls(withTurns(asking, [user('never mind')], 3))).toEqual([]);
    expect(openCalls(talk(user('a'), reply('', { calls: [call('1')], end: null })))).toEqual([]);
  });

  it('that was closed in the middle of a reply has a stopped one', () => {
    const left = settled(talk(user('a'), reply('half', { end: null }), reply('whole')));
    expect(left.turns.map((turn) => turn.role === 'assistant' && turn.end?.kind)).toEqual([
      false,
      'stopped',
      'finished',
    ]);
  });
});

describe('the request of a conversation', () => {
  it('has the system prompt, the turns with images and calls, the tools, and only the numbers that are set', () => {
    const picture = 'data:image/png;base64,AA==';
    const conversation: Conversation = {
      ...talk(
        user('see', [picture]),
        reply('', { calls: [call('1')] }),
        { role: 'tool', id: 't', callId: '1', text: 'here' },
        reply('It is here.'),
        user('and now?'),
      ),
      settings: { system: 'Be brief.', tools: '[{"type":"function"}]', sampling: { temperature: 0, seed: 7 } },
    };
    expect(toChatRequest(conversation, 'pico')).toEqual({
      model: 'pico',
      stream: true,
      stream_options: { include_usage: true },
      return_progress: true,
      context_overflow: 'error',
      temperature: 0,
      seed: 7,
      tools: [{ type: 'function' }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: picture } },
            { type: 'text', text: 'see' },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call('1')] },
        { role: 'tool', tool_call_id: '1', content: 'here' },
        { role: 'assistant', content: 'It is here.' },
        { role: 'user', content: 'and now?' },
      ],
    });
  });

  it('leaves out replies that failed before their first word', () => {
    const failed = reply('', { end: { kind: 'failed', message: 'no', code: null } });
    const { messages } = toChatRequest(talk(user('a'), failed, user('b')), 'pico');
    expect(messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ]);
  });
});

describe('the settings', () => {
  const field = (name: string) => {
    const found = SAMPLING_FIELDS.find((one) => one.name === name);
    if (!found) throw new Error(name);
    return found;
  };

  it('accept a number in the range, treat an empty value as the default, and refuse the rest', () => {
    expect(['', ' ', '0', '2', '2.1', '-1', 'x'].map((typed) => readSampling(field('temperature'), typed))).toEqual([
      undefined,
      undefined,
      0,
      2,
      null,
      null,
      null,
    ]);
    expect(['40', '1.5'].map((typed) => readSampling(field('top_k'), typed))).toEqual([40, null]);
  });

  it('forget a number that is emptied', () => {
    const set = withSampling({ system: '', tools: '', sampling: { seed: 1 } }, 'top_p', 0.5);
    expect(set.sampling).toEqual({ seed: 1, top_p: 0.5 });
    expect(withSampling(set, 'seed', undefined).sampling).toEqual({ top_p: 0.5 });
  });

  it('say what is wrong with tools', () => {
    expect(readTools(' ')).toEqual([]);
    expect(() => readTools('[')).toThrow(/not valid JSON/);
    expect(() => readTools('{}')).toThrow(/must be an array/);
  });
});

describe('the state', () => {
  const model = (id: string, { embedding = false, rerank = false, template = 'a template' } = {}) =>
    ({ id, capabilities: { embedding, rerank }, settings: { prompt_template: template } }) as ListedModel;
  const begun = (): State => initialState(1, null);

  it('lists conversations that have turns, the newest first, and not the empty one', () => {
    const [old, recent] = [talk(user('old')), { ...talk(user('recent')), updatedAt: 9 }];
    const state = [old, recent].reduce((now, conversation) => reduce(now, { kind: 'open', conversation }), begun());
    expect(state.summaries.map(({ title }) => title)).toEqual(['recent', 'old']);
    expect(state.currentId).toBe(recent.id);
  });

  it('opens a new conversation instead of a deleted one', () => {
    const conversation = talk(user('a'));
    const instead = newConversation(5);
    const state = reduce(reduce(begun(), { kind: 'open', conversation }), {
      kind: 'delete',
      id: conversation.id,
      instead,
    });
    expect(state).toMatchObject({ currentId: instead.id, summaries: [] });
    expect(Object.keys(state.conversations)).not.toContain(conversation.id);
  });

  it('chooses the model of the conversation, else the preferred one, else the first chat model', () => {
    const models = [
      model('vectors', { embedding: true }),
      model('ranks', { rerank: true }),
      model('plain', { template: '' }),
      model('a'),
      model('b'),
      model('c'),
    ];
    const state = reduce(begun(), { kind: 'models', models });
    const conversation = newConversation(1);
    expect(modelOf(state, conversation)?.id).toBe('a');
    const preferring = reduce(state, { kind: 'preferred model', id: 'b' });
    expect(modelOf(preferring, conversation)?.id).toBe('b');
    expect(modelOf(preferring, { ...conversation, model: 'c' })?.id).toBe('c');
    expect(modelOf(preferring, { ...conversation, model: 'gone' })?.id).toBe('b');
    expect(modelOf(begun(), conversation)).toBeUndefined();
  });
});

describe('an export', () => {
  it('can be imported again without changes', () => {
    const conversation = talk(
      user('a', ['data:image/png;base64,AA==']),
      reply('b', {
        calls: [call('1')],
        stats: {
          promptTokens: 1,
          cachedTokens: 0,
          tokens: 2,
          tokensPerSecond: null,
          firstTokenMs: 3,
          totalMs: 4,
        },
      }),
      { role: 'tool', id: 't', callId: '1', text: 'here' },
    );
    expect(importText(exportText([conversation]))).toEqual([conversation]);
  });

  it.each([
    ['no JSON', 'hello', /not JSON/],
    ['another JSON', '{"chats": []}', /no export of chats/],
    [
      'a picture from elsewhere',
      exportText([talk(user('a', ['https://example.org/a.png']))]),
      /conversations\.0\.turns\.0\.images\.0/,
    ],
    ['a picture that may hold script', exportText([talk(user('a', ['data:image/svg+xml;base64,AA==']))]), /images/],
  ])('is refused if it is %s, and says where', (_, text, message) => {
    expect(() => importText(text)).toThrow(message);
  });
});
