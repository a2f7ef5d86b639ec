import { describe, expect, it } from 'vitest';
import { deepseek } from '../../../src/chat/formats/families/deepseek.ts';
import { generic } from '../../../src/chat/formats/families/generic.ts';
import { harmony } from '../../../src/chat/formats/families/harmony.ts';
import { describeTools, endsInReasoning, supportsToolCalls, supportsTools } from '../../../src/chat/formats/index.ts';
import { TOOLS } from './replies.ts';

describe('whether a template shows the tools', () => {
  it.each([
    ['{% for tool in tools %}{{ tool | tojson }}{% endfor %}', true],
    ['{%- if tools -%}x{%- endif -%}', true],
    ['{{ tools | tojson }}', true],
    ['{{ message.content }}', false],
    ['Use the tools. {{ message.content }}', false],
    ['{{ \'Use the tools\' }}{{ "the \\"tools" }}', false],
    ["{{ message['tools'] }}{{ message.tools }}", false],
    ['{% for tool in message.tool_calls %}{% endfor %}', false],
    ['{# tools #}', false],
    [undefined, false],
  ])('%s', (template, shown) => {
    expect(supportsTools(template)).toBe(shown);
  });
});

describe('whether a template writes earlier calls', () => {
  it.each([
    ['{% for call in message.tool_calls %}{% endfor %}', true],
    ["{% for call in message['tool_calls'] %}{% endfor %}", true],
    ['{{ message.content }} tool_calls', false],
    [undefined, false],
  ])('%s', (template, written) => {
    expect(supportsToolCalls(template)).toBe(written);
  });
});

describe('whether a prompt ends inside reasoning', () => {
  it.each([
    ['<|im_start|>assistant\n<think>\n', generic, true],
    ['<|im_start|>assistant\n<think>\n\n</think>\n\n', generic, false],
    ['<|im_start|>assistant\n', generic, false],
    ['<|start|>assistant<|channel|>analysis<|message|>', harmony, true],
    ['<|start|>assistant', harmony, false],
  ])('%j', (prompt, format, inside) => {
    expect(endsInReasoning(prompt, format)).toBe(inside);
  });
});

describe('the description of tools in a system message', () => {
  it('lists the tools and shows how to call them', () => {
    expect(describeTools(TOOLS.slice(1), generic)).toMatchInlineSnapshot(`
      "You can call these functions. Each line describes one, its parameters as a JSON schema:
      {"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"array","items":{"type":"integer"}},"any":{}}}}
      {"name":"now"}

      To call a function, reply with exactly this form and nothing else, and wait for the result:
      {"tool_calls": [{"name": "FUNCTION_NAME", "arguments": {"ARGUMENT_NAME": "VALUE"}}]}

      Reply as usual when no function is needed."
    `);
  });

  it('shows the form of calls that the model knows', () => {
    expect(describeTools(TOOLS, deepseek)).toContain(
      '<｜tool▁call▁begin｜>FUNCTION_NAME<｜tool▁sep｜>{"ARGUMENT_NAME": "VALUE"}<｜tool▁call▁end｜>',
    );
  });
});
