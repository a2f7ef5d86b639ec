import type { Tool } from '../../../src/chat/formats/format.ts';
import type { JsonSchema } from '../../../src/contract/json-schema.ts';
import type { ChatMessage } from '../../../src/contract/prompt.ts';
import {
  type CppFunction,
  type CppObject,
  CppReader,
  functionBody,
  isCppObject,
  tokensOf,
  type Value,
} from './cpp-reader.ts';

/** A reply as llama.cpp's tests expect it to be read. */
export interface ExpectedReply {
  content: string;
  reasoning: string;
  calls: { name: string; arguments: string }[];
}

/** A case of `test-chat.cpp`: this raw text of the model with this template is that reply. */
export interface BundleCase {
  /** The name of the template's file, without its ending, and the number of the case among those of the template. */
  name: string;
  template: string;
  raw: string;
  expected: ExpectedReply;
  tools: Tool[];
  messages: ChatMessage[];
  enableThinking: boolean;
  /** True if llama.cpp is asked to leave the reasoning in the content. */
  keepsReasoning: boolean;
  /** The part of the last message that is continued. */
  continues?: 'content' | 'reasoning';
  /** True if the raw text is cut off. */
  isCut: boolean;
  /** The schema of the reply. */
  schema?: JsonSchema;
  /** True if the reply must be a call. */
  mustCall: boolean;
}

/** Reads the cases out of the source of `test-chat.cpp`. `unread` is the number of cases that could not be read. */
export function readCases(source: string): { cases: BundleCase[]; unread: number } {
  const cases: BundleCase[] = [];
  const reader = new CppReader({
    ...MESSAGES,
    'std::string': ([text = '']) => text,
    peg_tester: ([path = '']) => tester(String(path), cases),
    test_lfm2_parser: ([path = '']) => {
      lfm2 += 1;
      const body = functionBody(tokens, 'test_lfm2_parser');
      reader.run([...tokensOf(`auto template_path = "${String(path)}";`), ...body]);
      return null;
    },
  });
  let lfm2 = 0;
  const tokens = tokensOf(source);
  reader.run(tokensOf(`auto detailed_debug = false; ${globals(source)}`));
  reader.run(functionBody(tokens, 'test_template_output_peg_parsers'));
  const count = (text: string) => text.split(/\brun\(\)/).length - 1;
  const ofLoops =
    lfm2 > 0 ? (lfm2 - 1) * count(source.split('test_lfm2_parser')[1]?.split('\nstatic void')[0] ?? '') : 0;
  // The definition of `run` is one more, and some loops run their cases several times.
  return { cases, unread: Math.max(0, count(source) - 1 + ofLoops - cases.length) };
}

/** Returns the declarations of tools and messages that stand outside of functions. */
function globals(source: string): string {
  return (
    source.match(/^(?:static|const) (?:common_chat_tool|common_chat_msg|std::vector)[^(;]*?(?:\{|=)[\s\S]*?;$/gm) ?? []
  ).join('\n');
}

const MESSAGES: Record<string, CppFunction> = {
  simple_assist_msg: ([content = '', reasoning = '', name = '', args = '', id = '']) =>
    assistant(content, reasoning, name === '' && id === '' ? [] : [[name, args]]),
  message_with_tool_calls: ([name = '', args = '']) => assistant('', '', [[name, args]]),
  message_with_tool_calls_and_reasoning: ([name = '', args = '', reasoning = '']) =>
    assistant('', reasoning, [[name, args]]),
  message_with_reasoning_and_tool_call: ([reasoning = '', name = '', args = '']) =>
    assistant('', reasoning, [[name, args]]),
  message_with_content_and_tool_call: ([content = '', name = '', args = '']) => assistant(content, '', [[name, args]]),
  message_with_reasoning_content_and_multiple_tool_calls: ([reasoning = '', content = '', calls = []]) =>
    assistant(content, reasoning, calls),
};

function assistant(content: Value, reasoning: Value, calls: Value): CppObject {
  return { fields: { role: 'assistant', content, reasoning_content: reasoning, tool_calls: calls } };
}

function tester(path: string, cases: BundleCase[]): CppObject {
  return {
    fields: {},
    call: (method, [raw = '']) => {
      if (method !== 'test') return null;
      const fields: Record<string, Value> = { raw };
      const builder: CppObject = {
        fields,
        call: (name, [value = null]) => {
          if (name === 'run') cases.push(toCase(path, fields, cases));
          else fields[name] = value;
          return builder;
        },
      };
      return builder;
    },
  };
}

function toCase(path: string, fields: Record<string, Value>, before: BundleCase[]): BundleCase {
  const template = path.replace(/^.*\//, '').replace(/\.jinja$/, '');
  const number = before.filter((one) => one.template === template).length + 1;
  const messages = list(fields.messages).map(toMessage);
  const thoughts = fields.reasoning_format ?? 'COMMON_REASONING_FORMAT_NONE';
  const continues = fields.continue_final_message;
  return {
    name: `${template} ${number}`,
    template,
    raw: String(fields.raw),
    expected: toExpected(fields),
    tools: list(fields.tools).map(toTool),
    messages: messages.length > 0 ? messages : [{ role: 'user', content: 'Hey there!' }],
    enableThinking: fields.enable_thinking !== false,
    keepsReasoning: thoughts === 'COMMON_REASONING_FORMAT_NONE',
    ...(typeof continues === 'string' && { continues: continues.endsWith('REASONING') ? 'reasoning' : 'content' }),
    isCut: fields.is_partial === true,
    ...(fields.json_schema !== undefined && { schema: JSON.parse(String(fields.json_schema)) as JsonSchema }),
    mustCall: fields.tool_choice === 'COMMON_CHAT_TOOL_CHOICE_REQUIRED',
  };
}

function toExpected(fields: Record<string, Value>): ExpectedReply {
  const whole = isCppObject(fields.expect) ? fields.expect.fields : {};
  const calls = list(fields.expect_tool_calls ?? whole.tool_calls).map((call) => {
    const [name = '', args = ''] = list(call);
    return { name: String(name), arguments: String(args) };
  });
  return {
    content: String(fields.expect_content ?? whole.content ?? ''),
    reasoning: String(fields.expect_reasoning ?? whole.reasoning_content ?? ''),
    calls,
  };
}

function toTool(value: Value): Tool {
  const [name, description, parameters] = list(value);
  return {
    name: String(name),
    description: String(description),
    parameters: JSON.parse(String(parameters)) as JsonSchema,
  };
}

function toMessage(value: Value): ChatMessage {
  if (!isCppObject(value)) {
    const [role, content] = list(value);
    return { role: role as ChatMessage['role'], content: String(content) };
  }
  const {
    role,
    content = '',
    reasoning_content: reasoning = '',
    tool_call_id: id = '',
    tool_calls: calls,
  } = value.fields;
  return {
    role: role as ChatMessage['role'],
    content: String(content),
    ...(reasoning !== '' && { reasoning_content: String(reasoning) }),
    ...(id !== '' && { tool_call_id: String(id) }),
    ...(list(calls).length > 0 && {
      tool_calls: list(calls).map((call, index) => {
        const [name, args] = list(call);
        return {
          id: `call_${index}`,
          type: 'function',
          function: { name: String(name), arguments: String(args) },
        } as const;
      }),
    }),
  };
}

function list(value: Value | undefined): Value[] {
  return Array.isArray(value) ? value : [];
}
