import { describe, expect, it } from 'vitest';
import type { Turn, UserTurn } from '../../../../web/chat/conversation/conversation.ts';
import { inEnglish } from '../../../../web/chat/messages/translate.ts';
import { toChatRequest } from '../../../../web/chat/reply/request.ts';
import { asSent, mediaNote } from '../../../../web/chat/window/as-sent.ts';
import { toCountRequest } from '../../../../web/chat/window/count-request.ts';
import { model, reply, talk, user } from './support.ts';

const PICTURE = 'data:image/png;base64,AA==';
const SOUND = { name: 'hello.wav', seconds: 1, url: 'data:audio/wav;base64,AA==' };

const messagesOf = (...args: Parameters<typeof asSent>) => toChatRequest(asSent(...args), args[1].id).messages;

describe('a conversation as a model gets it', () => {
  it('lacks the turns that are left out', () => {
    const conversation = {
      ...talk(user('a'), reply('b'), user('c')),
      leftOut: { messageId: 'b', turns: 2, summary: null },
    };
    expect(messagesOf(conversation, model())).toEqual([{ role: 'user', content: 'c' }]);
    // What comes before a reply above the cut, so that this can be continued.
    expect(messagesOf({ ...conversation, turns: [user('a')] }, model())).toEqual([{ role: 'user', content: 'a' }]);
  });

  it('has their summary in the system prompt: after its own one, or after that of the model', () => {
    const leftOut = { messageId: 'b', turns: 2, summary: ' They said b. ' };
    const conversation = { ...talk(user('a'), reply('b'), user('c')), leftOut };
    const systemOf = (...args: Parameters<typeof asSent>) => asSent(...args).settings.system;
    const summary = 'Summary of what was said before:\nThey said b.';
    expect(systemOf(conversation, model())).toBe(summary);
    expect(systemOf(conversation, model({ system_prompt: 'Be kind.' }))).toBe(`Be kind.\n\n${summary}`);
    const own = { ...conversation, settings: { ...conversation.settings, system: 'Be brief.' } };
    expect(systemOf(own, model({ system_prompt: 'Be kind.' }))).toBe(`Be brief.\n\n${summary}`);
    // Without a summary, the model's own prompt is left to the server.
    const silent = { ...conversation, leftOut: { ...leftOut, summary: '' } };
    expect(systemOf(silent, model({ system_prompt: 'Be kind.' }))).toBe('');
  });

  it('lacks the pictures and recordings that the model does not take, and says so where nothing else was said', () => {
    const said: Turn = { ...user('see'), images: [PICTURE], recordings: [SOUND] };
    const bare: Turn = { ...user(''), id: 'bare', images: [PICTURE] };
    const conversation = talk(said, reply('A dot.'), bare);
    expect(messagesOf(conversation, model())).toEqual([
      { role: 'user', content: 'see' },
      { role: 'assistant', content: 'A dot.' },
      { role: 'user', content: '(There was an attachment here, which this model can not read.)' },
    ]);
    expect(messagesOf(conversation, model({}, { vision: true }))).toMatchObject([
      { content: [{ type: 'image_url' }, { type: 'text', text: 'see' }] },
      {},
      { content: [{ type: 'image_url' }] },
    ]);
    expect(asSent(conversation, model({}, { vision: true, audio: true })).turns).toEqual(conversation.turns);
  });

  it('is told of in the page', () => {
    const said: UserTurn = { role: 'user', id: 'u', text: '', images: [PICTURE, `${PICTURE}A`], recordings: [SOUND] };
    expect(mediaNote(said, model(), inEnglish)).toBe('Left out for Tiny: the pictures and the recording.');
    expect(mediaNote(said, model({}, { vision: true }), inEnglish)).toBe('Left out for Tiny: the recording.');
    expect(mediaNote(said, model({}, { vision: true, audio: true }), inEnglish)).toBeNull();
    expect(mediaNote(said, undefined, inEnglish)).toBeNull();
  });
});

describe('the request that counts a prompt', () => {
  it('has the words, calls and results of the chat request, and no pictures', () => {
    const call = { id: '1', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
    const conversation = {
      ...talk(
        { ...user('see'), images: [PICTURE] },
        { ...reply(''), calls: [call] },
        { role: 'tool', id: 't', callId: '1', text: 'here' },
        reply('It is here.'),
      ),
      settings: { system: 'Be brief.', tools: '[{"type":"function","function":{"name":"look"}}]', sampling: {} },
    };
    expect(toCountRequest(toChatRequest(conversation, 'tiny'))).toEqual({
      model: 'tiny',
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'see' },
        { type: 'function_call', call_id: '1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: '1', output: 'here' },
        { role: 'assistant', content: 'It is here.' },
        { role: 'user', content: '' },
      ],
      tools: [{ type: 'function', name: 'look' }],
    });
  });
});
