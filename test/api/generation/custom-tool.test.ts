import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { createInputReader, inputOf, toArguments } from '../../../src/api/generation/custom-tool.ts';
import { anyCharacter } from '../../support/any-character.ts';
import {
  chat,
  chatGeneration,
  chunksOf,
  createContext,
  createFakeRunner,
  done,
  finish,
  progress,
  readBody,
  readJson,
  streamOf,
  toolArguments,
  toolCall,
} from '../fixtures.ts';

const patch = { type: 'custom', custom: { name: 'patch', description: 'Changes files.' } };
const add = { type: 'function', function: { name: 'add', parameters: {} } };
const tools = [patch, add];

/** An API whose replies call both tools, the custom one in pieces that cut an escape. */
function callingApi() {
  const pieces = ['{"inp', 'ut": "a\\', 'n\\u00', 'e9"}'].map((piece) => toolArguments(piece));
  const events = [toolCall('patch'), ...pieces, toolCall('add', 1), toolArguments('{}', 1), finish('tool_calls')];
  const runner = createFakeRunner(() => streamOf([progress(1, 1), ...events, done()]));
  return createApi(createContext({ runner }).context);
}

describe('a custom tool', () => {
  it('is a function with one text for the model', () => {
    const { prompt } = chatGeneration({ tools });
    expect(prompt).toMatchObject({
      tools: [
        {
          name: 'patch',
          description: 'Changes files.',
          parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
        },
        { name: 'add' },
      ],
    });
  });

  it('can be the one that must be called, or one of those that may', () => {
    const choice = { type: 'custom', custom: { name: 'patch' } };
    expect(chatGeneration({ tools, tool_choice: choice }).prompt).toMatchObject({ toolChoice: { name: 'patch' } });
    const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [choice] } };
    expect(chatGeneration({ tools, tool_choice: allowed }).prompt).toMatchObject({ allowedTools: ['patch'] });
  });

  it('has its earlier calls in the prompt as those of that function', () => {
    const call = { id: 'c', type: 'custom', custom: { name: 'patch', input: 'a\n"b"' } };
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'Done.' },
    ];
    const { prompt } = chatGeneration({ tools, messages });
    const written = { name: 'patch', arguments: '{"input":"a\\n\\"b\\""}' };
    expect(prompt).toMatchObject({ messages: [{}, { tool_calls: [{ id: 'c', function: written }] }, {}] });
  });

  it('is called with its text in a whole reply, beside calls of functions', async () => {
    const { choices } = await readJson(await callingApi()(chat({ tools })));
    expect(choices[0].message.tool_calls).toEqual([
      { id: expect.any(String), type: 'custom', custom: { name: 'patch', input: 'a\né' } },
      { id: expect.any(String), type: 'function', function: { name: 'add', arguments: '{}' } },
    ]);
  });

  it('is called with its text piece by piece in a stream', async () => {
    const chunks = chunksOf(await readBody(await callingApi()(chat({ tools, stream: true }))));
    const calls = chunks.flatMap((chunk) => chunk.choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    expect(calls[0]).toMatchObject({ index: 0, type: 'custom', custom: { name: 'patch', input: '' } });
    const inputs = calls.map((call) => (call as { custom?: { input: string } }).custom?.input ?? '');
    expect(inputs.join('')).toBe('a\né');
    expect(calls.at(-2)).toMatchObject({ index: 1, type: 'function' });
  });

  it.each([
    [
      'a grammar',
      { ...patch, custom: { ...patch.custom, format: { type: 'grammar' } } },
      'tools[0].custom.format.type',
    ],
    ['no name', { type: 'custom', custom: {} }, 'tools[0].custom.name'],
  ])('with %s is refused by name', async (_, tool, param) => {
    const reply = await callingApi()(chat({ tools: [tool] }));
    expect(reply.status).toBe(400);
    expect((await readJson(reply)).error.param).toBe(param);
  });
});

describe('the text of a custom call', () => {
  it('is whole however its arguments are cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.array(fc.nat(40)), (text, cuts) => {
        let rest = toArguments(text);
        const read = createInputReader();
        let told = '';
        for (const cut of cuts) {
          told += read(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        expect(told + read(rest)).toBe(text);
        expect(inputOf(toArguments(text))).toBe(text);
      }),
    );
  });

  it('is what was written where the reply was cut', () => {
    expect(inputOf('{"input": "half a te')).toBe('half a te');
    expect(inputOf('{"in')).toBe('');
  });
});
