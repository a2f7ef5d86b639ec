import { beforeAll, describe, expect, it } from 'vitest';
import { ADD } from '../fixtures.ts';
import { noBundle, readBundle } from './bundle.ts';
import { prepareCase } from './drive.ts';

// Replies of families whose thoughts llama.cpp's tests leave out, as their templates write them.

const THOUGHTS = 'Two\nnumbers.';
const ARGUMENTS = '{"a": 1, "b": 2}';
const REPLIES: Record<string, { thoughts: string; answer: string; call: string }> = {
  'upstage-Solar-Open-100B': {
    thoughts: `<|think|>${THOUGHTS}<|end|><|begin|>assistant`,
    answer: '<|content|>It is 3.<|end|>',
    call: `<|tool_calls|><|tool_call:begin|>ab12cd34e<|tool_call:name|>add<|tool_call:args|>${ARGUMENTS}<|tool_call:end|><|calls|>`,
  },
  'Apertus-8B-Instruct': {
    thoughts: `<|inner_prefix|>${THOUGHTS}<|inner_suffix|>`,
    answer: 'It is 3.',
    call: `<|tools_prefix|>[{"add": ${ARGUMENTS}}]<|tools_suffix|>`,
  },
};

describe.skipIf(noBundle)(`replies with thoughts${noBundle ? ` (skipped: ${noBundle})` : ''}`, () => {
  let templates: Map<string, string>;
  beforeAll(() => {
    ({ templates } = readBundle());
  }, 60_000);

  it.each(Object.entries(REPLIES))('are read as %s writes them, also character by character', (template, reply) => {
    const case_ = {
      name: template,
      template,
      raw: '',
      expected: { content: '', reasoning: '', calls: [] },
      tools: [ADD],
      messages: [{ role: 'user' as const, content: 'Add 1 and 2.' }],
      enableThinking: true,
      keepsReasoning: false,
      isCut: false,
      mustCall: false,
    };
    const { read } = prepareCase(case_, templates.get(template) ?? '');
    const call = { name: 'add', arguments: ARGUMENTS };
    const texts: [string, object][] = [
      [reply.thoughts + reply.answer, { reasoning: THOUGHTS, content: 'It is 3.', calls: [] }],
      [reply.thoughts + reply.call, { reasoning: THOUGHTS, content: '', calls: [call] }],
      [reply.answer, { reasoning: '', content: 'It is 3.', calls: [] }],
      [reply.call, { reasoning: '', content: '', calls: [call] }],
      [reply.thoughts.slice(0, 20), { reasoning: reply.thoughts.slice(0, 20).replace(/^<\|\w+\|>/, ''), content: '' }],
    ];
    for (const [text, expected] of texts) {
      expect(read([text]), text).toMatchObject(expected);
      expect(read([...text]), text).toMatchObject(expected);
    }
  });
});
