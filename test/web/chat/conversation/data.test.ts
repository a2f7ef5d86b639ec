import { describe, expect, it } from 'vitest';
import type { ListedModel } from '../../../../src/contract/models/model.ts';
import { SAMPLING_FIELDS as API_FIELDS } from '../../../../src/contract/sampling.ts';
import type { Attachment } from '../../../../web/chat/attachments/attachments.ts';
import { type DraftPart, type MessageDraft, NO_DRAFT, readLate } from '../../../../web/chat/composer/draft.ts';
import {
  canGoOn,
  newReply,
  openCalls,
  type ReplyTurn,
  replyToGoOn,
  type ShownConversation,
  type Turn,
  titleOf,
} from '../../../../web/chat/conversation/conversation.ts';
import { erased } from '../../../../web/chat/conversation/tree/erase.ts';
import {
  addTurn,
  fromList,
  newHead,
  sayInstead,
  withValues,
} from '../../../../web/chat/conversation/tree/operations.ts';
import type { Stamp } from '../../../../web/chat/conversation/tree/stamp.ts';
import type { Patch } from '../../../../web/chat/conversation/tree/tree.ts';
import { inEnglish } from '../../../../web/chat/messages/translate.ts';
import { toChatRequest, toContinuationRequest } from '../../../../web/chat/reply/request.ts';
import { problemOfFields } from '../../../../web/chat/settings/more-fields.ts';
import {
  NO_SETTINGS,
  readMore,
  readSampling,
  readSchema,
  readStop,
  readTools,
  SAMPLING_SETTINGS,
  withSampling,
} from '../../../../web/chat/settings/settings.ts';
import { currentConversation, draftKey, draftOf, headOf, modelOf } from '../../../../web/chat/state/selectors.ts';
import { initialState, reduce, type State } from '../../../../web/chat/state/state.ts';
import { exportText } from '../../../../web/chat/transfer/export.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';
import { talk } from '../window/support.ts';

/** The day of the tests, in Unix time in ms. */
const NOW = 1_790_000_000_000;

const user = (text: string, images: string[] = []): Turn => ({ role: 'user', id: `user ${text}`, text, images });
const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'look', arguments: '{}' } });
const reply = (text: string, more: Partial<ReplyTurn> = {}): ReplyTurn => ({
  ...newReply('pico'),
  id: `reply ${text}`,
  text,
  end: { kind: 'finished', reason: 'stop' },
  ...more,
});

describe('a conversation', () => {
  it('has its first text as title, on one line and short', () => {
    const title = (text: string, images: string[] = []) => titleOf({ role: 'user', id: 'u', text, images });
    expect(title('  What is\n this? ')).toBe('What is this?');
    expect(Array.from(title('😀'.repeat(100)))).toHaveLength(60);
    expect(title('', ['data:image/png;base64,AA=='])).toBe('An image');
  });

  it('can go on with a reply that was cut off or edited, and calls nothing', () => {
    const ends: ReplyTurn['end'][] = [
      { kind: 'stopped' },
      { kind: 'failed', message: 'no', code: null },
      { kind: 'finished', reason: 'length' },
    ];
    expect(ends.map((end) => canGoOn(reply('half', { end })))).toEqual([true, true, true]);
    expect(canGoOn(reply('', { reasoning: 'Hm', end: { kind: 'stopped' } }))).toBe(true);
    expect(canGoOn(reply('mine', { edited: true }))).toBe(true);
    const others = [
      reply('whole'),
      reply('growing', { end: null }),
      reply('', { end: { kind: 'stopped' } }),
      reply('half', { calls: [call('1')], end: { kind: 'stopped' } }),
      reply('filtered', { end: { kind: 'finished', reason: 'content_filter' } }),
    ];
    expect(others.map(canGoOn)).toEqual([false, false, false, false, false]);
    const cut = reply('half', { end: { kind: 'stopped' } });
    expect(replyToGoOn(talk(user('a'), cut))).toBe(cut);
    expect(replyToGoOn(talk(user('a'), cut, user('b')))).toBeUndefined();
    expect(replyToGoOn({ ...talk(user('a'), cut), settings: { ...NO_SETTINGS, schema: '{}' } })).toBeUndefined();
  });

  it('waits for the results of the last calls only', () => {
    const asking = talk(user('a'), reply('', { calls: [call('1'), call('2')] }));
    const withMore = (...turns: Turn[]) => talk(...asking.turns, ...turns);
    expect(openCalls(asking).map(({ id }) => id)).toEqual(['1', '2']);
    const answered = withMore({ role: 'tool', id: 't', callId: '1', text: 'here' });
    expect(openCalls(answered).map(({ id }) => id)).toEqual(['2']);
    expect(openCalls(withMore(user('never mind')))).toEqual([]);
    expect(openCalls(talk(user('a'), reply('', { calls: [call('1')], end: null })))).toEqual([]);
    expect(openCalls({ ...asking, compared: [reply('one'), reply('other')] })).toEqual([]);
  });
});

describe('the request of a conversation', () => {
  it('has the system prompt, the turns with images and calls, the tools, and only the numbers that are set', () => {
    const picture = 'data:image/png;base64,AA==';
    const conversation: ShownConversation = {
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

  it('has the effort, the stops, the schema and the further fields, and throws if one can not be read', () => {
    const settings = { ...NO_SETTINGS, sampling: { seed: 1 }, stop: 'END', more: '{"seed": 2, "typical_p": 0.5}' };
    const withSettings = (more: object) =>
      toChatRequest({ ...talk(user('a')), settings: { ...settings, ...more } }, 'pico');
    expect(withSettings({ effort: 'low', schema: '{"type": "object"}' })).toMatchObject({
      reasoning_effort: 'low',
      stop: ['END'],
      response_format: { type: 'json_schema', json_schema: { name: 'reply', schema: { type: 'object' } } },
      seed: 2,
      typical_p: 0.5,
    });
    expect(() => withSettings({ schema: '{' })).toThrow(/schema is not valid JSON/);
  });

  it('has the beginning of a reply that is to go on as its last message, to the last character', () => {
    const cut = reply('Half a ', { reasoning: 'Hm.', end: { kind: 'stopped' } });
    expect(toContinuationRequest(talk(user('a')), cut, 'pico')).toMatchObject({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'Half a ', reasoning_content: 'Hm.' },
      ],
      continue_final_message: true,
      add_generation_prompt: false,
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
    const found = SAMPLING_SETTINGS.find((one) => one.name === name);
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

  it('have every number of the API, with its range and its default', () => {
    const names = Object.values(API_FIELDS).map(({ name }) => name);
    expect(SAMPLING_SETTINGS.map(({ name }) => name).toSorted()).toEqual([...names, 'max_tokens', 'seed'].toSorted());
    expect(field('mirostat_tau')).toMatchObject({ min: 0, max: 100, otherwise: '5' });
    expect(field('repeat_last_n')).toMatchObject({ min: -1, max: null, whole: true, otherwise: '64' });
  });

  it('say what is wrong with stops, a schema and further fields, and which fields are the page’s own', () => {
    expect(readStop('END\n\n two words')).toEqual(['END', ' two words']);
    expect(() => readStop('1\n2\n3\n4\n5')).toThrow(/At most 4/);
    expect([readSchema(' '), readSchema('{}')]).toEqual([null, {}]);
    expect(() => readSchema('[]')).toThrow(/must be an object/);
    expect(() => readMore('{"a"')).toThrow(/not valid JSON/);
    expect(() => readMore('{"messages": []}')).toThrow('“messages” is set by this page.');
  });

  it('know the fields of the API: their types, those that it refuses, and those that would do nothing', () => {
    expect(problemOfFields({ logit_bias: { 5: -1 }, keep_alive: '5m' }, inEnglish)).toBeNull();
    expect(problemOfFields({ logit_bias: [] }, inEnglish)).toMatch(/^logit_bias must be/);
    expect(problemOfFields({ min_tokens: 8 }, inEnglish)).toMatch(/^min_tokens is not supported/);
    expect(problemOfFields({ sparkle: 1 }, inEnglish)).toBe('sparkle is no field of this API.');
    expect(problemOfFields({ verbosity: 'low' }, inEnglish)).toBe('verbosity would have no effect here.');
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
  const at = (time: number, tab = 'a') => ({ time, tab });
  const fresh = newHead('fresh', at(1));
  const begun = (): State => initialState(fresh, null);
  const growing = reply('half', { end: null });
  const take = (state: State, patch: Patch) => reduce(state, { kind: 'patch', patch });
  /** A conversation in which a reply is still to come. */
  const asked = () => {
    const question = addTurn(newHead('c', at(1)), null, user('a'), at(2));
    const state = reduce(take(begun(), question), { kind: 'open', id: 'c' });
    const [head] = question.heads;
    if (!head) throw new Error('a say changes the head');
    return { state, answer: addTurn(head, 'user a', growing, at(3)) };
  };

  it('shows a reply that nobody writes any more as stopped, and one of another tab as growing', () => {
    const { state, answer } = asked();
    const ends = (now: State) => currentConversation(now).turns.map((turn) => 'end' in turn && turn.end?.kind);
    expect(ends(take(state, answer))).toEqual([false, 'stopped']);
    const heard = reduce(state, { kind: 'patch from elsewhere', patch: answer, tab: 'b' });
    expect(ends(heard)).toEqual([false, undefined]);
    expect(ends(reduce(heard, { kind: 'tab left', tab: 'b' }))).toEqual([false, 'stopped']);
  });

  it('takes the messages of another tab only for conversations that it has read: the rest is in the storage', () => {
    const { answer } = asked();
    const state = reduce(begun(), { kind: 'patch from elsewhere', patch: answer, tab: 'b' });
    expect(Object.keys(state.chats.heads)).toEqual(['c']);
    expect(state.chats.messages).toEqual({});
  });

  it('has no conversation that was erased, not even at its address', () => {
    const { state } = asked();
    const [head] = Object.values(state.chats.heads);
    if (!head) throw new Error('it was asked');
    const gone = erased(withValues(head, { deleted: true }, at(9)));
    const now = take(begun(), { heads: [gone], messages: [] });
    expect(headOf(now, 'c')).toBeUndefined();
    expect(currentConversation(reduce(now, { kind: 'open', id: 'c' })).turns).toEqual([]);
  });

  it('has a draft for each conversation, and one for those that have not begun', () => {
    const { state } = asked();
    const text = (value: string, time: number) => ({ text: { value, at: at(time) } });
    const typed = reduce(state, { kind: 'draft', key: draftKey(state), draft: text('to be said', 4) });
    const other = reduce(typed, { kind: 'open', id: fresh.id });
    expect(draftOf(other, draftKey(other)).text.value).toBe('');
    const back = reduce(other, { kind: 'open', id: 'c' });
    expect(draftOf(back, draftKey(back)).text.value).toBe('to be said');
    const late = reduce(back, { kind: 'draft', key: 'c', draft: text('older', 3) });
    expect(draftOf(late, 'c').text.value).toBe('to be said');
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
    const conversation = { model: null };
    expect(modelOf(state, conversation)?.id).toBe('a');
    const preferring = reduce(state, { kind: 'preferred model', id: 'b' });
    expect(modelOf(preferring, conversation)?.id).toBe('b');
    expect(modelOf(preferring, { model: 'c' })?.id).toBe('c');
    expect(modelOf(preferring, { model: 'gone' })?.id).toBe('b');
    expect(modelOf(begun(), conversation)).toBeUndefined();
  });
});

describe('a draft', () => {
  const at = (time: number, tab: string) => ({ time, tab });
  const written = (text: string, stamp: Stamp, files: Attachment[] = []): MessageDraft => ({
    text: { value: text, at: stamp },
    attachments: { value: files, at: stamp },
  });
  const picture = (name: string): Attachment => ({ kind: 'image', url: name });
  const join = (typed: MessageDraft, stored: DraftPart) => {
    const { text, attachments } = readLate(typed, stored, at(9, 'mine'));
    return [text.value, attachments.value.map((one) => one.kind === 'image' && one.url).join()];
  };

  it('that was stored comes before what was written until it could be read', () => {
    const stored = written('before, ', at(1, 'gone'), [picture('a')]);
    expect(join(written('after', at(2, 'mine'), [picture('b')]), stored)).toEqual(['before, after', 'a,b']);
    expect(join({ ...NO_DRAFT, text: { value: 'after', at: at(2, 'mine') } }, stored)).toEqual(['before, after', 'a']);
    expect(join(written('after', at(2, 'mine')), {})).toEqual(['after', '']);
  });

  it('is not joined twice: what this tab has stored, or another one has said, holds it already', () => {
    expect(join(written('ab', at(2, 'mine')), written('a', at(1, 'mine')))).toEqual(['ab', '']);
    expect(join(written('ab', at(2, 'other')), written('a', at(1, 'gone')))).toEqual(['ab', '']);
  });
});

describe('an export', () => {
  const stats = { promptTokens: 1, cachedTokens: 0, tokens: 2, tokensPerSecond: null, firstTokenMs: 3, totalMs: 4 };
  const whole = talk(user('a', ['data:image/png;base64,AA==']), reply('b', { calls: [call('1')], stats }), {
    role: 'tool',
    id: 't',
    callId: '1',
    text: 'here',
  });
  const file = (version: number, content: object) => JSON.stringify({ format: 'paddock-chats', version, ...content });

  it('can be imported again without changes, with all branches, and without what was deleted', () => {
    const tree = fromList(whole);
    const [head] = tree.heads;
    if (!head) throw new Error('a list has a head');
    const own = Object.fromEntries(tree.messages.map((message) => [message.id, message]));
    const edited = sayInstead(head, own, 'user a', user('c'), { time: 9, tab: 'a' });
    const deleted = withValues({ ...head, id: 'gone' }, { deleted: true }, { time: 9, tab: 'a' });
    const all = { heads: edited.heads, messages: [...tree.messages, ...edited.messages] };
    const exported = exportText({ heads: [...all.heads, deleted], messages: all.messages.toReversed() });
    const imported = importText(exported, NOW);
    expect(imported.heads).toEqual(all.heads);
    expect(imported.messages).toHaveLength(4);
    expect(imported.messages).toEqual(expect.arrayContaining(all.messages));
  });

  it('of the first version is read as a tree of one branch', () => {
    expect(importText(file(1, { conversations: [whole] }), NOW)).toEqual(fromList(whole));
  });

  it('has times that are no later than a day from now, so that they do not set the clock', () => {
    const far = talk(user('a'));
    const { heads, messages } = importText(
      file(1, { conversations: [{ ...far, createdAt: 5e15, updatedAt: 8e15 }] }),
      NOW,
    );
    const times = JSON.stringify({ heads, messages }).matchAll(/"(?:time|createdAt|updatedAt)":(\d+)/g);
    expect(Math.max(...[...times].map(([, time]) => Number(time)))).toBe(NOW + 24 * 60 * 60 * 1000);
  });

  it('with a reply that was still being written has it as stopped', () => {
    const growing = talk(user('a'), reply('half', { end: null }));
    const ends = ({ messages }: Patch) => messages.map(({ turn }) => 'end' in turn.value && turn.value.end?.kind);
    expect(ends(importText(file(1, { conversations: [growing] }), NOW))).toEqual([false, 'stopped']);
    expect(ends(importText(exportText(fromList(growing)), NOW))).toEqual([false, 'stopped']);
  });

  it('has a title for each chat, and no messages without a chat', () => {
    const { heads, messages } = fromList({ ...whole, title: ' ' });
    const lost = { ...messages[0], conversation: 'unknown' };
    const imported = importText(file(2, { heads, messages: [...messages, lost] }), NOW);
    expect(imported.heads.map(({ title }) => title.value)).toEqual(['New chat']);
    expect(imported.messages).toHaveLength(messages.length);
  });

  it('is refused if its messages go round in a circle', () => {
    const { heads, messages } = fromList(talk(user('a'), user('b')));
    const [first, second] = messages;
    const circle = [{ ...first, parent: 'user b' }, second];
    expect(() => importText(file(2, { heads, messages: circle }), NOW)).toThrow(/messages/);
  });

  it.each([
    ['no JSON', 'hello', /not JSON/],
    ['another JSON', '{"chats": []}', /no export of chats/],
    [
      'a picture from elsewhere',
      file(1, { conversations: [talk(user('a', ['https://example.org/a.png']))] }),
      /conversations\.0\.turns\.0\.images\.0/,
    ],
    [
      'a time that is no date',
      file(1, { conversations: [{ ...talk(), updatedAt: 1e300 }] }),
      /conversations\.0\.updatedAt is not as expected/,
    ],
    [
      'a picture that may hold script',
      file(1, { conversations: [talk(user('a', ['data:image/svg+xml;base64,AA==']))] }),
      /images/,
    ],
  ])('is refused if it is %s, and says where', (_, text, message) => {
    expect(() => importText(text, NOW)).toThrow(message);
  });
});
