import { describe, expect, it } from 'vitest';
import { gemma } from '../../../src/chat/formats/families/gemma.ts';
import { glm } from '../../../src/chat/formats/families/glm.ts';
import { qwen3Coder } from '../../../src/chat/formats/families/qwen3-coder.ts';
import { toArgumentsJson } from '../../../src/chat/formats/xml-arguments.ts';
import { itLeavesAsContent, itReads } from './replies.ts';

const ADD = { call: 'add', arguments: '{"a": 1}' };
const NOW = { call: 'now', arguments: '{}' };

describe('qwen3-coder', () => {
  const call = '<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>';
  itReads(qwen3Coder, {
    'text around a call': {
      reply: `Sure.\n\n${call}\nDone.`,
      gives: [{ content: 'Sure.' }, ADD, { content: 'Done.' }],
    },
    'two calls': {
      reply: `${call}\n<tool_call>\n<function=now>\n</function>\n</tool_call>`,
      gives: [ADD, NOW],
    },
    'a call without the outer mark': { reply: call.slice(12, -13), gives: [ADD] },
    'text of several lines': {
      reply:
        '<tool_call>\n<function=get_weather>\n<parameter=city>\n\n  5\n"x"</b>\n\n</parameter>\n' +
        '<parameter=days>\n[1, 2]\n</parameter>\n</function>\n</tool_call>',
      gives: [{ call: 'get_weather', arguments: '{"city": "\\n  5\\n\\"x\\"</b>\\n", "days": [1, 2]}' }],
    },
    'a call in JSON': { reply: '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>', gives: [ADD] },
    'a call after reasoning that the prompt has begun': {
      reply: `Hm.\n</think>\n\n${call}`,
      startsInReasoning: true,
      gives: [{ reasoning: 'Hm.' }, ADD],
    },
  });
  itLeavesAsContent(qwen3Coder, {
    'a tool that was not offered':
      '<tool_call>\n<function=rm>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>',
    'a call that is cut off in a parameter': `Hm.\n${call.slice(0, 45)}`,
    'a call that is cut off after a parameter': call.slice(0, -30),
    'text where a parameter belongs': '<tool_call>\n<function=add>\na = 1\n</function>\n</tool_call>',
    'a function without a name': '<function=',
  });
});

describe('glm', () => {
  const call = '<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>';
  itReads(glm, {
    'reasoning, text and a call': {
      reply: `\n<think>Hm.</think>\nSure.\n${call}`,
      gives: [{ reasoning: 'Hm.' }, { content: 'Sure.' }, ADD],
    },
    'two calls': { reply: `${call}\n<tool_call>now\n</tool_call>`, gives: [ADD, NOW] },
    'a text': {
      reply: '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>12 a\n</arg_value>\n</tool_call>',
      gives: [{ call: 'get_weather', arguments: '{"city": "12 a\\n"}' }],
    },
    'a call in JSON': { reply: '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>', gives: [ADD] },
  });
  itLeavesAsContent(glm, {
    'a tool that was not offered': '<tool_call>rm\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>',
    'a call that is cut off': call.slice(0, -14),
    'a key without a value': '<tool_call>add\n<arg_key>a</arg_key>\n</tool_call>',
  });
});

describe('gemma', () => {
  itReads(gemma, {
    'reasoning and an answer': {
      reply: '<|channel>thought\nHm.\n<channel|>Yes.',
      gives: [{ reasoning: 'Hm.' }, { content: 'Yes.' }],
    },
    'two calls': {
      reply: '<|tool_call>call:add{a:1}<tool_call|><|tool_call>call:now{}<tool_call|><|tool_response>',
      gives: [{ call: 'add', arguments: '{"a":1}' }, NOW],
    },
    'every kind of value': {
      reply:
        '<|tool_call>call:get_weather{city:<|"|>"a", {b}: \\<|"|>,days:[1,-2.5e3],any:{x:true,7:null,<|"|>k<|"|>:None,e:,w:sun}}<tool_call|>',
      gives: [
        {
          call: 'get_weather',
          arguments:
            '{"city":"\\"a\\", {b}: \\\\","days":[1,-2.5e3],"any":{"x":true,"7":null,"k":null,"e":null,"w":"sun"}}',
        },
      ],
    },
    'JSON between the braces': { reply: '<|tool_call>call:add{"a": 1}<tool_call|>', gives: [ADD] },
  });
  itLeavesAsContent(gemma, {
    'a tool that was not offered': '<|tool_call>call:rm{}<tool_call|>',
    'a call that is cut off': '<|tool_call>call:add{a:1}',
    'values with an error': '<|tool_call>call:add{a:[1}<tool_call|>',
    'something else in the marks': '<|tool_call>add(1)<tool_call|>',
  });
});

describe('arguments that are read from plain text', () => {
  const json = (text: string, schema?: unknown) =>
    toArgumentsJson([['x', text]], { name: 'f', parameters: { properties: { ...(schema ? { x: schema } : {}) } } });

  it.each([
    ['a string stays a string, even if it looks like a number', '5', { type: 'string' }, '"5"'],
    ['a string keeps its quotes', '"a"', { type: 'string' }, '"\\"a\\""'],
    ['a number', ' 5 ', { type: 'integer' }, '5'],
    ['a text instead of a number', 'five', { type: 'integer' }, '"five"'],
    ['a fraction instead of an integer', '5.5', { type: 'integer' }, '"5.5"'],
    ['a number keeps its zeros', '1.50', { type: 'number' }, '1.50'],
    ['a boolean as Python prints it', 'True', { type: 'boolean' }, 'true'],
    ['a null', 'None', { type: ['string', 'null'] }, 'null'],
    ['a string where null is allowed too', 'none', { type: ['string', 'null'] }, '"none"'],
    ['an object', '{"a": [1]}', { type: 'object' }, '{"a": [1]}'],
    ['a type of one of several schemas', '5', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, '5'],
    ['a listed value', '5', { enum: [5, 6] }, '5'],
    ['a listed text', '5', { enum: ['5'] }, '"5"'],
    ['a schema that names no type', '[1]', {}, '[1]'],
    ['no schema', 'a b', undefined, '"a b"'],
  ])('%s', (_, text, schema, expected) => {
    expect(json(text, schema)).toBe(`{"x": ${expected}}`);
  });

  it('finds no schema under a name that every object inherits', () => {
    expect(toArgumentsJson([['constructor', '5']], { name: 'f', parameters: true })).toBe('{"constructor": 5}');
  });
});
