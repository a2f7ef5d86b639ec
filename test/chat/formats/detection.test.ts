import { describe, expect, it } from 'vitest';
import { detectFormat, formats } from '../../../src/chat/formats/index.ts';

// The typical part of each family's template.
const TEMPLATES: [family: string, format: string, template: string][] = [
  ['no template', 'generic', ''],
  ['ChatML', 'generic', '<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>'],
  ['a model that only reasons', 'generic', "{{ '<|im_start|>assistant\\n<think>\\n' }}"],
  ['Hermes, Qwen 2.5, Qwen 3', 'hermes', '<tools></tools> <tool_call>\\n{\\"name\\": <function-name>}\\n</tool_call>'],
  ['Granite 4', 'hermes', '<|start_of_role|>system<|end_of_role|> <tool_call>\\n{\\"name\\": x}\\n</tool_call>'],
  ['Qwen 3 Coder, Qwen 3.5', 'qwen3-coder', '<tool_call>\\n<function=x>\\n<parameter=y>\\nz\\n</parameter>'],
  ['GLM 4.5', 'glm', '[gMASK]<sop> <tool_call>{name}\n<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>'],
  ['Llama 3.1', 'llama3', '<|start_header_id|> {{ "<|python_tag|>" + tool_call.name + ".call(" }}'],
  [
    'Llama 3.2',
    'llama3',
    'Respond in the format {"name": x, "parameters": dictionary of argument name and its value}.',
  ],
  ['Llama 3.0', 'generic', '<|start_header_id|>{{ message.role }}<|end_header_id|>'],
  ['Mistral Nemo', 'mistral-nemo', '[AVAILABLE_TOOLS][/AVAILABLE_TOOLS] {{- "[TOOL_CALLS][" }}'],
  ['Mistral Small 3.2', 'mistral', "{{- '[TOOL_CALLS]' + name }}{{- '[ARGS]' + arguments|tojson }}"],
  ['Gemma 2', 'generic', '<start_of_turn>{{ role }}\n{{ message.content }}<end_of_turn>'],
  ['Gemma 4', 'gemma', "<|turn>model {{- '<|tool_call>call:' + function['name'] + '{' -}}"],
  ['Phi 3.5', 'generic', '<|user|>\n{{ message.content }}<|end|>\n<|assistant|>\n'],
  [
    'Phi 4 mini',
    'phi4',
    "<|system|>{{ message['content'] + '<|tool|>' + message['tools'] + '<|/tool|>' + '<|end|>' }}",
  ],
  ['Granite 3', 'granite', '<|start_of_role|>system<|end_of_role|> respond only with <|tool_call|> and a JSON list'],
  [
    'DeepSeek R1',
    'deepseek-r1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{{ tool.type }}<｜tool▁sep｜>\\n```json\\n',
  ],
  ['DeepSeek V3.1', 'deepseek', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{{ name }}<｜tool▁sep｜>{{ arguments }}'],
  ['Kimi K2', 'kimi', '<|tool_calls_section_begin|><|tool_call_begin|>{{ id }}<|tool_call_argument_begin|>'],
  ['Cohere2 MoE', 'cohere2', '<|START_ACTION|>[{"tool_name": x}]<|END_ACTION|><|START_TEXT|>'],
  ['Command R7B', 'command-r7b', '<|START_ACTION|>[{"tool_name": x}]<|END_ACTION|>'],
  ['Functionary 3.2', 'functionary', `Respond in this format:\n>>>\${recipient}\n\${content}\n`],
  ['Kimi K3', 'kimi-k3', "{{- '<|open|>' + role + '<|sep|>' }}"],
  ['MiniMax M3', 'minimax-m3', "{%- set ns = ']<]minimax[>[' %}"],
  ['LFM2', 'lfm2', "'List of tools: <|tool_list_start|>['"],
  ['LFM2.5', 'lfm2', '{{- "<|tool_call_start|>[" + calls + "]<|tool_call_end|>" -}}'],
  ['Muse Glimmer', 'muse', '<atem:function_calls>\\n<atem:invoke name="'],
  ['gpt-oss', 'harmony', '<|start|>assistant<|channel|>final<|message|>{{ message.content }}<|end|>'],
];

describe('the format of a template', () => {
  it.each(TEMPLATES)('%s: %s', (_, name, template) => {
    expect(detectFormat(template).name).toBe(name);
  });

  it('is the generic one if there is no template', () => {
    expect(detectFormat(undefined).name).toBe('generic');
  });

  it('has a name that no other format has', () => {
    expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length);
  });

  it('is tested above for every format', () => {
    expect(new Set(TEMPLATES.map(([, name]) => name))).toEqual(new Set(formats.map(({ name }) => name)));
  });
});
