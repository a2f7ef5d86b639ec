import { describe, expect, it } from 'vitest';
import { fromOllamaMessages } from '../../../src/api/ollama/messages.ts';

type Given = Parameters<typeof fromOllamaMessages>[0];
const call = (name: string, id?: string) => ({ ...(id && { id }), function: { name, arguments: { n: 1 } } });
const user = (content: string) => ({ role: 'user' as const, content });
const text = (value: string) => [{ kind: 'text', text: value }];

describe('the messages of a chat', () => {
  it('keep their roles, texts and thoughts', () => {
    expect(
      fromOllamaMessages([
        { role: 'system', content: 'Be brief.' },
        user('hi'),
        { role: 'assistant', content: 'hello', thinking: 'A greeting.' },
      ]),
    ).toEqual([
      { role: 'system', content: text('Be brief.') },
      { role: 'user', content: text('hi') },
      { role: 'assistant', content: text('hello'), reasoning_content: 'A greeting.' },
    ]);
  });

  it('number the calls through, with their arguments as JSON', () => {
    const turns: Given = [
      { role: 'assistant', tool_calls: [call('add'), { function: { name: 'end' } }] },
      { role: 'tool', content: '2' },
      { role: 'tool', content: 'ended' },
      { role: 'assistant', content: '', tool_calls: [call('add')] },
      { role: 'tool', content: '3' },
    ];
    expect(fromOllamaMessages(turns)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_0', type: 'function', function: { name: 'add', arguments: '{"n":1}' } },
          { id: 'call_1', type: 'function', function: { name: 'end', arguments: '{}' } },
        ],
      },
      { role: 'tool', content: text('2'), name: 'add', tool_call_id: 'call_0' },
      { role: 'tool', content: text('ended'), name: 'end', tool_call_id: 'call_1' },
      {
        role: 'assistant',
        content: text(''),
        tool_calls: [{ id: 'call_2', type: 'function', function: { name: 'add', arguments: '{"n":1}' } }],
      },
      { role: 'tool', content: text('3'), name: 'add', tool_call_id: 'call_2' },
    ]);
  });

  it('are the same whatever ids the client has for its calls, so that each prompt begins with the one before', () => {
    const turn = (id: string): Given => [
      user('hi'),
      { role: 'assistant', content: '', tool_calls: [call('add', id)] },
      { role: 'tool', content: '2', tool_call_id: id },
    ];
    expect(fromOllamaMessages(turn('call_abc'))).toEqual(fromOllamaMessages(turn('call_xyz')));
    expect(fromOllamaMessages([...turn('a'), user('more')]).slice(0, 3)).toEqual(fromOllamaMessages(turn('a')));
  });

  it.each<[by: string, results: Given, ids: (string | undefined)[]]>([
    [
      'its name',
      [
        { role: 'tool', content: '', tool_name: 'end' },
        { role: 'tool', content: '', tool_name: 'add' },
      ],
      ['call_1', 'call_0'],
    ],
    [
      'its id',
      [
        { role: 'tool', content: '', tool_call_id: 'second' },
        { role: 'tool', content: '', tool_call_id: 'first' },
      ],
      ['call_1', 'call_0'],
    ],
    [
      'their order',
      [
        { role: 'tool', content: '' },
        { role: 'tool', content: '' },
        { role: 'tool', content: '' },
      ],
      ['call_0', 'call_1', undefined],
    ],
  ])('find the call of a result by %s', (_, results, ids) => {
    const calls = {
      role: 'assistant' as const,
      content: '',
      tool_calls: [call('add', 'first'), call('end', 'second')],
    };
    expect(
      fromOllamaMessages([calls, ...results])
        .slice(1)
        .map(({ tool_call_id }) => tool_call_id),
    ).toEqual(ids);
  });

  it('have their images before their text, and need none', () => {
    const [both, alone] = fromOllamaMessages([
      { ...user('what is it?'), images: ['iVBORw0KGgo='] },
      { role: 'user', images: ['iVBORw0KGgo='] },
    ]);
    const image = (param: string) => ({
      kind: 'media',
      media: { kind: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
      param,
    });
    expect(both?.content).toEqual([image('messages[0].images[0]'), ...text('what is it?')]);
    expect(alone?.content).toEqual([image('messages[1].images[0]')]);
  });

  it('need content unless the assistant wrote them', () => {
    for (const role of ['system', 'user', 'tool'] as const)
      expect(() => fromOllamaMessages([{ role }])).toThrow('messages[0].content is required.');
    expect(fromOllamaMessages([{ role: 'assistant' }])).toEqual([{ role: 'assistant', content: null }]);
  });
});
