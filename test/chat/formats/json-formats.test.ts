import { describe, expect, it } from 'vitest';
import { commandR7b } from '../../../src/chat/formats/families/command-r7b.ts';
import { deepseek, deepseekR1 } from '../../../src/chat/formats/families/deepseek.ts';
import { granite } from '../../../src/chat/formats/families/granite.ts';
import { kimi } from '../../../src/chat/formats/families/kimi.ts';
import { mistral, mistralNemo } from '../../../src/chat/formats/families/mistral.ts';
import { phi4 } from '../../../src/chat/formats/families/phi4.ts';
import { itLeavesAsContent, itReads, readPieces } from './replies.ts';

const ADD = { call: 'add', arguments: '{"a": 1}' };
const NOW = { call: 'now', arguments: '{}' };

describe('mistral', () => {
  itReads(mistral, {
    text: { reply: 'Hello [1]', gives: [{ content: 'Hello [1]' }] },
    'a call': { reply: '[TOOL_CALLS]add[ARGS]{"a": 1}', gives: [ADD] },
    'a call with an id': { reply: '[TOOL_CALLS]add[CALL_ID]abcdefgh1[ARGS]{"a": 1}', gives: [ADD] },
    'a call without the mark for its arguments': { reply: '[TOOL_CALLS]add{"a": 1}', gives: [ADD] },
    'two calls after text': {
      reply: 'Sure. [TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]now[ARGS]{}',
      gives: [{ content: 'Sure.' }, ADD, NOW],
    },
    'calls in an array, as earlier models write them': {
      reply: '[TOOL_CALLS] [{"name": "add", "arguments": {"a": 1}, "id": "abcdefgh1"}, {"name": "now"}]',
      gives: [ADD, NOW],
    },
    reasoning: {
      reply: '[THINK]Hm.[/THINK]Yes.[TOOL_CALLS]now[ARGS]{}',
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }, NOW],
    },
  });
  itReads(mistral, {
    'reasoning that the prompt has begun, in the current marks': {
      reply: 'Hm.[/THINK]Yes.',
      startsInReasoning: true,
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
    'reasoning that the prompt has begun, in the earlier marks': {
      reply: 'Hm.\n</think>\nYes.',
      startsInReasoning: true,
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
  });
  itLeavesAsContent(mistral, {
    'a tool that was not offered': '[TOOL_CALLS]rm[ARGS]{"a": 1} and more',
    'a call that is cut off': '[TOOL_CALLS]add[ARGS]{"a": 1',
    'a name alone': '[TOOL_CALLS]add',
    'JSON with an error': '[TOOL_CALLS]add[ARGS]{a: 1}',
  });
});

describe('mistral-nemo', () => {
  itReads(mistralNemo, {
    'two calls': {
      reply: '[TOOL_CALLS][{"name": "add", "arguments": {"a": 1}}, {"name": "now", "arguments": {}}]',
      gives: [ADD, NOW],
    },
    'calls whose mark is missing': { reply: '[{"name": "add", "arguments": {"a": 1}}]', gives: [ADD] },
  });
});

describe('phi4', () => {
  itReads(phi4, {
    'two calls': {
      reply: '<|tool_call|>[{"name": "add", "arguments": {"a": 1}}, {"name": "now"}]<|/tool_call|>',
      gives: [ADD, NOW],
    },
    'a call as functools': {
      reply: 'Sure.\nfunctools[{"name": "add", "arguments": {"a": 1}}]',
      gives: [{ content: 'Sure.' }, ADD],
    },
    'text about functools': { reply: 'Use functools.', gives: [{ content: 'Use functools.' }] },
  });
  itLeavesAsContent(phi4, {
    'functools as Python': 'functools[0] is no call',
    'a tool that was not offered': '<|tool_call|>[{"name": "rm"}]<|/tool_call|>',
  });
});

describe('granite', () => {
  itReads(granite, {
    'two calls': {
      reply: '<|tool_call|>[{"name": "add", "arguments": {"a": 1}}, {"name": "now"}]',
      gives: [ADD, NOW],
    },
    'the mark without its bars': { reply: '<tool_call>[{"name": "now"}]', gives: [NOW] },
    'an answer in marks after reasoning': {
      reply: '<think>Hm.</think><response>Yes.\n</response>',
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.\n' }],
    },
  });

  it('keeps the marks of an answer as text if there was no reasoning', () => {
    const text = 'XML: <response>1</response>';
    expect(readPieces(granite, [text])).toEqual([{ kind: 'content', text }]);
  });
});

describe('command-r7b', () => {
  itReads(commandR7b, {
    'an answer': { reply: '<|START_RESPONSE|>Hi.<|END_RESPONSE|>', gives: [{ content: 'Hi.' }] },
    'a plan and two calls': {
      reply:
        '<|START_THINKING|>I add.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "add", ' +
        '"parameters": {"a": 1}},\n    {"tool_call_id": "1", "tool_name": "now", "parameters": {}}\n]<|END_ACTION|>',
      gives: [{ reasoning: 'I add.' }, ADD, NOW],
    },
    'an answer without any tools': {
      reply: '<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Hi.<|END_RESPONSE|>',
      tools: [],
      gives: [{ reasoning: 'Hm.' }, { content: 'Hi.' }],
    },
  });
  itLeavesAsContent(commandR7b, {
    'a tool that was not offered': '<|START_ACTION|>[{"tool_name": "rm", "parameters": {}}]<|END_ACTION|>',
  });
});

describe('deepseek', () => {
  const begin = '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>';
  itReads(deepseek, {
    'two calls': {
      reply: `Sure.${begin}add<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
      gives: [{ content: 'Sure.' }, ADD, NOW],
    },
    'reasoning that the prompt has begun': {
      reply: 'Hm.</think>Yes.',
      startsInReasoning: true,
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
    'a reply that ends after the JSON': { reply: `${begin}add<｜tool▁sep｜>{"a": 1}`, gives: [ADD] },
  });
  itReads(deepseekR1, {
    'two calls': {
      reply: `<think>\nHm.\n</think>\n\n${begin}function<｜tool▁sep｜>add\n\`\`\`json\n{"a": 1}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n\`\`\`json\n{}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
      gives: [{ reasoning: 'Hm.' }, ADD, NOW],
    },
  });
  itLeavesAsContent(deepseek, {
    'a tool that was not offered': `${begin}rm<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    'a call that is cut off': `So. ${begin}add<｜tool▁sep｜>{"a"`,
    'a mark alone': '<｜tool▁calls▁begin｜> and text',
  });
});

describe('kimi', () => {
  const call = (id: string, json: string) =>
    `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${json}<|tool_call_end|>`;
  itReads(kimi, {
    'two calls': {
      reply: `Sure. <|tool_calls_section_begin|>${call('functions.add:0', '{"a": 1}')}${call('functions.now:1', '{}')}<|tool_calls_section_end|>`,
      gives: [{ content: 'Sure.' }, ADD, NOW],
    },
  });
  itLeavesAsContent(kimi, {
    'a tool that was not offered': `<|tool_calls_section_begin|>${call('functions.rm:0', '{}')}<|tool_calls_section_end|>`,
    'a call that is cut off': '<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0',
  });
});
