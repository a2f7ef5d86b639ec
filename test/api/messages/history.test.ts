import type { MessageCreateParams, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/api/fields/fields.ts';
import { fromAnthropicMessages } from '../../../src/api/messages/history.ts';
import { countTokensRequestSchema } from '../../../src/api/messages/schema.ts';

const BILLING = 'x-anthropic-billing-header: cc_version=2.1.0; cch=';

/** The conversation that a request with these messages, in the words of Anthropic's SDK, becomes. */
function history(messages: MessageParam[], system?: MessageCreateParams['system']) {
  return fromAnthropicMessages(validate(countTokensRequestSchema, { model: 'tiny', messages, system }));
}

const text = (words: string) => ({ type: 'text' as const, text: words });
const said = (role: string, words: string) => ({ role, content: [{ kind: 'text', text: words }] });
const png = {
  type: 'image' as const,
  source: { type: 'base64' as const, media_type: 'image/png' as const, data: 'AA==' },
};
const hi: MessageParam = { role: 'user', content: 'hi' };

describe('the system prompt', () => {
  it('is the first message, as a string or in blocks', () => {
    expect(history([hi], 'Be kind.')).toEqual([said('system', 'Be kind.'), said('user', 'hi')]);
    const blocks = [{ ...text('Be kind.'), cache_control: { type: 'ephemeral' as const } }, text('Be brief.')];
    expect(history([hi], blocks)).toEqual([said('system', 'Be kind.\n\nBe brief.'), said('user', 'hi')]);
  });

  it('is no message at all where it is empty', () => {
    for (const system of ['', [], [text('')], [text(`${BILLING}1;`)]]) expect(history([hi], system)).toHaveLength(1);
  });

  it('leaves out the blocks that only bill, which differ in every request', () => {
    const systems = ['1', '2'].map((count) => history([hi], [text(`${BILLING}${count};`), text('Be kind.')]));
    expect(systems[0]).toEqual([said('system', 'Be kind.'), said('user', 'hi')]);
    expect(systems[1]).toEqual(systems[0]);
  });

  it('leaves out only the first line of a string that begins with such a line', () => {
    expect(history([hi], `${BILLING}1;\n\nBe kind.`)).toEqual([said('system', 'Be kind.'), said('user', 'hi')]);
    expect(history([hi], `${BILLING}1;`)).toEqual([said('user', 'hi')]);
  });

  it('takes in the system messages before the first turn, since templates take one system message', () => {
    const first: MessageParam = { role: 'system', content: [text('Be brief.'), text(`${BILLING}1;`)] };
    expect(history([first, hi], 'Be kind.')).toEqual([said('system', 'Be kind.\n\nBe brief.'), said('user', 'hi')]);
  });

  it('leaves a later system message in its place, as a user message: the prompt before it stays the same', () => {
    const later: MessageParam[] = [
      hi,
      { role: 'assistant', content: 'yes?' },
      { role: 'system', content: 'Be brief.' },
    ];
    expect(history(later, 'Be kind.')).toEqual([
      said('system', 'Be kind.'),
      said('user', 'hi'),
      said('assistant', 'yes?'),
      said('user', 'Be brief.'),
    ]);
  });
});

describe('a user message', () => {
  it('has its texts and images in order, each image with its place in the request', () => {
    const linked = { type: 'image' as const, source: { type: 'url' as const, url: 'https://images.example/a.png' } };
    expect(
      history([hi, { role: 'assistant', content: 'yes?' }, { role: 'user', content: [text('a'), png, linked] }])[2],
    ).toEqual({
      role: 'user',
      content: [
        { kind: 'text', text: 'a' },
        { kind: 'media', media: { kind: 'image', url: 'data:image/png;base64,AA==' }, param: 'messages[2].content[1]' },
        {
          kind: 'media',
          media: { kind: 'image', url: 'https://images.example/a.png' },
          param: 'messages[2].content[2]',
        },
      ],
    });
  });

  it('is one turn with the user messages beside it', () => {
    expect(history([hi, { role: 'user', content: [text('a'), text('b')] }])).toEqual([said('user', 'hi\n\na\n\nb')]);
  });

  it('has the text of documents and search results', () => {
    const plain = { type: 'text' as const, media_type: 'text/plain' as const, data: 'Once.' };
    const content = [
      { type: 'document' as const, source: plain, title: 'A tale', context: 'old' },
      { type: 'document' as const, source: { type: 'content' as const, content: 'Twice.' } },
      { type: 'search_result' as const, source: 'https://a.example', title: 'A', content: [text('found')] },
    ];
    expect(history([{ role: 'user', content }])).toEqual([
      said('user', 'A tale\nold\n\nOnce.\n\nTwice.\n\nA\nhttps://a.example\nfound'),
    ]);
  });

  it.each([
    ['a PDF', { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'AA==' }],
    ['a PDF', { type: 'url' as const, url: 'https://files.example/a.pdf' }],
    ['a stored file', { type: 'file' as const, file_id: 'file_1' }],
  ])('with %s is refused', (kind, source) => {
    const call = () => history([{ role: 'user', content: [text('a'), { type: 'document', source }] }]);
    expect(call).toThrow(`messages[0].content[1].source is ${kind}, which is not supported`);
  });
});

describe('calls and their results', () => {
  const call = (id: string, name: string, input: object) => ({ type: 'tool_use' as const, id, name, input });
  const calling: MessageParam = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Two calls.', signature: 'paddock' },
      text('Let me see.'),
      call('toolu_1', 'read', { path: 'a' }),
      call('toolu_2', 'list', {}),
    ],
  };

  it('become an assistant message with calls, and a tool message for each result, with the text after them', () => {
    const results: MessageParam = {
      role: 'user',
      content: [
        text('Go on.'),
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [text('one'), png, text('two')] },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'none' },
      ],
    };
    expect(history([hi, calling, results]).slice(1)).toEqual([
      {
        role: 'assistant',
        content: [{ kind: 'text', text: 'Let me see.' }],
        reasoning_content: 'Two calls.',
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
          { id: 'toolu_2', type: 'function', function: { name: 'list', arguments: '{}' } },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'toolu_1',
        name: 'read',
        content: [
          { kind: 'text', text: 'one' },
          {
            kind: 'media',
            media: { kind: 'image', url: 'data:image/png;base64,AA==' },
            param: 'messages[2].content[1].content[1]',
          },
          { kind: 'text', text: 'two' },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_2', name: 'list', content: [{ kind: 'text', text: 'none' }] },
      said('user', 'Go on.'),
    ]);
  });

  it('say that a call has failed', () => {
    const failed: MessageParam = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'no such file', is_error: true }],
    };
    expect(history([hi, calling, failed]).at(-1)).toMatchObject({ content: [{ text: 'Error:\n\nno such file' }] });
  });

  it('may be empty, name tools that were found, or answer a call that is not there', () => {
    const content: MessageParam['content'] = [
      { type: 'tool_result', tool_use_id: 'toolu_1' },
      { type: 'tool_result', tool_use_id: 'other', content: [{ type: 'tool_reference', tool_name: 'read' }] },
    ];
    expect(history([hi, calling, { role: 'user', content }]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'toolu_1', name: 'read', content: [] },
      { role: 'tool', tool_call_id: 'other', content: [{ kind: 'text', text: 'Tool: read' }] },
    ]);
  });

  it('are one message with the text before them, which may be a message of its own', () => {
    const messages = history([
      hi,
      { role: 'assistant', content: 'Well.' },
      { ...calling, content: [call('a', 'list', {})] },
    ]);
    expect(messages.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ text: 'Well.' }], tool_calls: [{ id: 'a', function: { name: 'list' } }] },
    ]);
  });

  it('have no text where the message has none', () => {
    expect(history([hi, { role: 'assistant', content: [call('a', 'list', {})] }])[1]).toMatchObject({ content: null });
  });
});

describe('an assistant message', () => {
  it('leaves out what only the service that wrote it can read', () => {
    const content: MessageParam['content'] = [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'thinking', thinking: '', signature: 'x' },
      { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} },
      text('Found.'),
    ];
    expect(history([hi, { role: 'assistant', content }, hi])[1]).toEqual(said('assistant', 'Found.'));
  });

  it('is left out where nothing remains of it', () => {
    expect(history([hi, { role: 'assistant', content: [] }])).toEqual([said('user', 'hi')]);
  });
});
