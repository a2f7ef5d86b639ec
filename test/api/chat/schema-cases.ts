import { hello } from '../fixtures.ts';

type Value = unknown;

/**
 * Returns the request `hello` with one field replaced, or removed if the value is undefined. Names such as
 * `messages[0].x` are inner fields.
 */
export function withField(field: string, value: Value): Record<string, unknown> {
  const body = JSON.parse(JSON.stringify({ ...hello, ...BASES[field.split(/[.[]/)[0] ?? ''] }));
  const path = field.split(/[.[\]]+/).filter((key) => key !== '');
  const last = path.pop() ?? '';
  let target = body;
  for (const key of path) target = target[key];
  if (value === undefined) delete target[last];
  else target[last] = value;
  return body;
}

const functionTool = {
  type: 'function',
  function: { name: 'add', description: 'Adds', parameters: { type: 'object' } },
};

/** Valid values around the inner fields of the tables. */
const BASES: Record<string, Record<string, unknown>> = {
  messages: {
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'https://x.example/y.png' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
          { type: 'refusal', refusal: 'No.' },
          { type: 'thinking', thinking: 'Hm.' },
        ],
        reasoning_content: 'Hm.',
        name: 'ann',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }],
        tool_call_id: 'call_1',
      },
    ],
  },
  tools: { tools: [functionTool] },
  tool_choice: { tool_choice: { type: 'function', function: { name: 'add' } } },
  reasoning: { reasoning: { effort: 'low' } },
  structured_outputs: { structured_outputs: { json: {} } },
  stream_options: { stream_options: {} },
  response_format: { response_format: { type: 'text' } },
  logit_bias: { logit_bias: { 7: 1 } },
  lora: { lora: [{ id: 'style', scale: 1 }] },
};

const notNumbers = (field: string, message: string): [string, Value, string][] => [
  [field, '1', message],
  [field, true, message],
  [field, [1], message],
  [field, {}, message],
];

const range = (field: string, min: number, max: number): [string, Value, string][] => {
  const message = `must be a number between ${min} and ${max}`;
  return [[field, min - 0.01, message], [field, max + 0.01, message], ...notNumbers(field, message)];
};

const wholeNumber = (field: string, min: number, max?: number): [string, Value, string][] => {
  const message =
    max === undefined ? `must be an integer of at least ${min}` : `must be an integer between ${min} and ${max}`;
  const above: [string, Value, string][] = max === undefined ? [] : [[field, max + 1, message]];
  return [[field, min - 1, message], ...above, [field, min + 0.5, message], ...notNumbers(field, message)];
};

const tokenLimit = (field: string): [string, Value, string][] => {
  const message = 'must be an integer of at least 1';
  return [[field, 0, message], [field, -2, message], [field, 1.5, message], ...notNumbers(field, message)];
};

const truth = (field: string): [string, Value, string][] => [
  [field, 'true', 'must be a boolean'],
  [field, 1, 'must be a boolean'],
];

const object = (field: string): [string, Value, string][] => [
  [field, 'x', 'must be'],
  [field, 5, 'must be'],
  // A list is not an object, although JavaScript says so. The message differs: if the object has required fields, one
  // of them is missing.
  [field, [], ''],
];

const word = (field: string, message: string): [string, Value, string][] => [
  [field, 'nonsense', message],
  [field, '', message],
  [field, 5, message],
];

const string = (field: string): [string, Value, string][] => [
  [field, 5, 'must be a string'],
  [field, {}, 'must be a string'],
];

const ROLES = 'must be one of system, developer, user, assistant, tool';
const STOP = 'must be a string or an array of at most 4 strings';

/** Values that a request must not have: the field, its value, and a part of the error. Undefined is an absent field. */
export const REFUSED: [field: string, value: Value, message: string][] = [
  ['model', undefined, 'is required'],
  ['model', null, 'must be a string'],
  ['model', '', 'must not be empty'],
  ...string('model'),

  ['messages', undefined, 'is required'],
  ['messages', null, 'must be an array of messages'],
  ['messages', 'Hello', 'must be an array of messages'],
  ['messages', {}, 'must be an array of messages'],
  ['messages', [], 'must have at least 1 message'],
  ['messages[0]', 'Hello', 'must be an object with role and content'],
  ['messages[0]', null, 'must be an object with role and content'],
  ['messages[0]', [], ''],
  ['messages[0].role', undefined, 'is required'],
  ['messages[0].role', null, ROLES],
  ...word('messages[0].role', ROLES),
  ['messages[0].content', 5, 'must be a string or an array of content parts'],
  ['messages[0].content', {}, 'must be a string or an array of content parts'],
  ['messages[0].content[0]', 'x', 'must be an object'],
  ['messages[0].content[0]', null, 'must be an object'],
  ['messages[0].content[0].type', undefined, 'is required'],
  ...word('messages[0].content[0].type', 'must be one of text, image_url, input_audio, refusal, thinking'),
  ['messages[0].content[0].text', undefined, 'is required'],
  ...string('messages[0].content[0].text'),
  ['messages[0].content[1].image_url', undefined, 'is required'],
  ['messages[0].content[1].image_url', 5, 'must be'],
  ['messages[0].content[1].image_url', [], ''],
  ['messages[0].content[1].image_url', '', 'must not be empty'],
  ['messages[0].content[1].image_url.url', undefined, 'is required'],
  ...string('messages[0].content[1].image_url.url'),
  ['messages[0].content[1].image_url.url', '', 'must not be empty'],
  ...word('messages[0].content[1].image_url.detail', 'must be one of auto, low, high'),
  ['messages[0].content[0].image_url', { url: 'x' }, 'must not be there'],
  ['messages[0].content[0].input_audio', { data: 'x', format: 'wav' }, 'must not be there'],
  ['messages[0].content[1].text', 'x', 'must not be there'],
  ['messages[0].content[1].input_audio', { data: 'x', format: 'wav' }, 'must not be there'],
  ['messages[0].content[2].text', 'x', 'must not be there'],
  ['messages[0].content[2].image_url', { url: 'x' }, 'must not be there'],
  ...object('messages[0].content[2].input_audio'),
  ...string('messages[0].content[2].input_audio.data'),
  ['messages[0].content[2].input_audio.data', '', 'must not be empty'],
  ...word('messages[0].content[2].input_audio.format', 'must be one of wav, mp3'),
  ...string('messages[0].content[3].refusal'),
  ['messages[0].content[3].text', 'x', 'must not be there'],
  ['messages[0].content[4].thinking', 5, 'must be a string or an array of text parts'],
  ['messages[0].content[4].thinking', [{ type: 'text' }], 'is required'],
  ...string('messages[0].reasoning_content'),
  ...string('messages[0].reasoning'),
  ...string('messages[0].refusal'),
  ['messages', [{ role: 'user' }], 'content is required'],
  ['messages', [{ role: 'user', content: null }], 'must be a string or an array of content parts'],
  ...string('messages[0].name'),
  ['messages[0].tool_calls', 'x', 'must be an array of tool calls'],
  ['messages[0].tool_calls', {}, 'must be an array of tool calls'],
  ['messages[0].tool_calls[0].id', undefined, 'is required'],
  ...string('messages[0].tool_calls[0].id'),
  ...word('messages[0].tool_calls[0].type', 'must be function or custom'),
  ...object('messages[0].tool_calls[0].function'),
  ...string('messages[0].tool_calls[0].function.name'),
  ...string('messages[0].tool_calls[0].function.arguments'),
  ['messages[0].tool_calls[0].function.arguments', undefined, 'is required'],
  ...string('messages[0].tool_call_id'),

  ...range('temperature', 0, 2),
  ...tokenLimit('max_tokens'),
  ...tokenLimit('max_completion_tokens'),
  ...tokenLimit('n_predict'),
  ...range('top_p', 0, 1),
  ...wholeNumber('top_k', -1),
  ...range('min_p', 0, 1),
  ...truth('stream'),
  ...object('stream_options'),
  ...truth('stream_options.include_usage'),
  ['stop', 5, STOP],
  ['stop', {}, STOP],
  ['stop', ['a', 'b', 'c', 'd', 'e'], 'must have at most 4 stop sequences'],
  ['stop', ['a', 5], 'must be a string'],
  ...range('presence_penalty', -2, 2),
  ...range('frequency_penalty', -2, 2),
  ...notNumbers('repeat_penalty', 'must be a number'),
  ['repeat_penalty', -1, 'must be a number'],
  ...notNumbers('repetition_penalty', 'must be a number'),
  ['repetition_penalty', 0, 'must be a number'],
  ...wholeNumber('repeat_last_n', -1),
  ['seed', 0.5, 'must be an integer'],
  ['seed', 2 ** 53, 'must be an integer'],
  ...notNumbers('seed', 'must be an integer'),

  ['tools', 'x', 'must be an array of tools'],
  ['tools', {}, 'must be an array of tools'],
  ['tools[0]', 'x', 'must be an object with type and function'],
  ['tools[0].type', undefined, 'is required'],
  ...word('tools[0].type', 'must be function, custom or mcp'),
  ['tools[0].function', undefined, 'is required'],
  ...object('tools[0].function'),
  ['tools[0].function.name', undefined, 'is required'],
  ...string('tools[0].function.name'),
  ['tools[0].function.name', '', 'must not be empty'],
  ...string('tools[0].function.description'),
  ...object('tools[0].function.parameters'),
  ...word('tool_choice', 'must be none, auto, required, any or'),
  ['tool_choice', {}, ''],
  ['tool_choice', [], ''],
  ['tool_choice.type', 'tool', 'must be'],
  ['tool_choice.function', 'add', 'must be'],
  ['tool_choice.function.name', undefined, 'is required'],
  ['tool_choice.function.name', 5, 'must be'],
  ['tool_choice', { type: 'allowed_tools' }, 'is required'],
  [
    'tool_choice',
    { type: 'allowed_tools', allowed_tools: { mode: 'none', tools: [] } },
    'must be one of auto, required',
  ],
  ['tool_choice', { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: 'x' } }, 'must be an array'],
  ['tool_choice', { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } }, 'must have at least 1'],
  ...truth('parallel_tool_calls'),
  ...truth('continue_final_message'),
  ...truth('add_generation_prompt'),

  ...notNumbers('dynatemp_range', 'must be a number'),
  ['dynatemp_range', -1, 'must be a number'],
  ...notNumbers('dynatemp_exponent', 'must be a number'),
  ['dynatemp_exponent', -1, 'must be a number'],
  ...range('typical_p', 0, 1),
  ...range('xtc_probability', 0, 1),
  ...range('xtc_threshold', 0, 1),
  ...range('top_n_sigma', -1, 100),
  ...range('dry_multiplier', 0, 100),
  ...range('dry_base', 1, 100),
  ['dry_allowed_length', -1, 'must be an integer'],
  ['dry_penalty_last_n', -2, 'must be an integer'],
  ['dry_sequence_breakers', [], 'must have at least 1 text'],
  ['dry_sequence_breakers', ['x'.repeat(41)], 'must have at most 40 characters'],
  ['dry_sequence_breakers', Array(33).fill('x'), 'must have at most 32 texts'],
  ['mirostat', 3, 'must be 0, 1 or 2'],
  ['mirostat', -1, 'must be 0, 1 or 2'],
  ['mirostat', 0.5, 'must be 0, 1 or 2'],
  ['mirostat', '1', 'must be 0, 1 or 2'],
  ...notNumbers('mirostat_tau', 'must be a number'),
  ['mirostat_tau', -1, 'must be a number'],
  ...notNumbers('mirostat_eta', 'must be a number'),
  ['mirostat_eta', -1, 'must be a number'],
  ...object('logit_bias'),
  ['logit_bias', [5, 6], 'must be an object of token ids and biases'],
  ['logit_bias', { hello: 1 }, 'must have token ids as its keys'],
  ['logit_bias', { '-1': 1 }, 'must have token ids as its keys'],
  ['logit_bias', { '1.5': 1 }, 'must have token ids as its keys'],
  ...range('logit_bias.7', -100, 100),
  ['logit_bias.7', null, 'must be a number between -100 and 100'],
  ...truth('cache_prompt'),
  ...string('prompt_cache_key'),
  ['lora', 'style', 'must be an array of objects with id and scale'],
  ['lora', Array(65).fill({ id: 'style', scale: 1 }), 'must have at most 64 adapters'],
  ['lora[0]', 'style', 'must be an object with id and scale'],
  ['lora[0].id', undefined, 'is required'],
  ['lora[0].id', true, 'must be the name or the index of an adapter'],
  ['lora[0].id', '', 'must not be empty'],
  ['lora[0].id', 0.5, 'must be an integer of at least 0'],
  ['lora[0].scale', undefined, 'is required'],
  ...range('lora[0].scale', -100, 100),

  ...wholeNumber('n', 1, 8),
  ...truth('logprobs'),
  ...wholeNumber('top_logprobs', 0, 20),
  ...object('response_format'),
  ...word('response_format.type', 'must be one of text, json_object, json_schema'),
  ...object('chat_template_kwargs'),
  ...word('reasoning_effort', 'must be one of'),
  ...object('reasoning'),
  ...word('reasoning.effort', 'must be one of'),
  ...truth('reasoning.enabled'),
  ...truth('enable_thinking'),
  ['think', 5, 'must be a boolean or one of'],
  ['think', 'hard', 'must be a boolean or one of'],
  ...object('guided_json'),
  ...object('structured_outputs'),
  ...object('structured_outputs.json'),
  ...string('grammar'),
  ...string('guided_grammar'),
  ...string('guided_regex'),
  ['guided_regex', '', 'must not be empty'],
  ['guided_choice', 'a', 'must be an array of texts'],
  ['guided_choice', [], 'must have at least 1 text'],
  ['guided_choice', Array(1001).fill('a'), 'must have at most 1000 texts'],
  ['best_of', 0, 'must be an integer between 1 and 8'],
  ['best_of', 9, 'must be an integer between 1 and 8'],
  ...string('user'),
  ...truth('return_progress'),
  ...word('context_overflow', 'must be one of length, error'),
];

/** Values that a request may have: those at the limit of their field, and the different forms of a field. */
export const ACCEPTED: [field: string, value: Value][] = [
  ['model', 'org/name:tag'],
  ...['system', 'developer', 'user', 'assistant', 'tool'].map((role): [string, Value] => ['messages[0].role', role]),
  ['messages[0].content', ''],
  ['messages[0].content', []],
  ['messages', [{ role: 'assistant' }]],
  ['messages', [{ role: 'user', content: '' }]],
  ['messages[0].content[1].image_url', 'https://x.example/y.png'],
  ['messages[0].content[4].thinking', [{ type: 'text', text: 'Hm.' }]],
  ['messages', [{ role: 'tool', content: null, tool_call_id: 'call_1' }]],
  ['messages[0].content[2].input_audio.format', 'wav'],
  // Some clients write all fields of a part, with null for those that do not apply.
  ['messages[0].content[0].image_url', null],
  ['messages[0].content[1].text', null],
  ['messages[0].content[1].image_url.url', 'data:image/png;base64,AA=='],
  ['messages[0].content[1].image_url.detail', 'auto'],
  ['messages[0].content[1].image_url.detail', 'low'],
  ['messages[0].content[1].image_url.detail', 'high'],
  ['messages[0].content[1].image_url.detail', null],
  ['messages[0].name', ''],
  ['messages[0].tool_calls', []],
  ['temperature', 0],
  ['temperature', 2],
  ['max_tokens', 1],
  ['max_tokens', Number.MAX_SAFE_INTEGER],
  ['max_tokens', -1],
  ['max_completion_tokens', 1],
  ['max_completion_tokens', -1],
  ['n_predict', 1],
  ['n_predict', -1],
  ['top_p', 0],
  ['top_p', 1],
  ['top_k', -1],
  ['top_k', 0],
  ['top_k', 100_000],
  ['min_p', 0],
  ['min_p', 1],
  ['stream', true],
  ['stream', false],
  ['stream_options', {}],
  ['stream_options.include_usage', true],
  ['stream_options.include_usage', null],
  ['stop', 'x'],
  ['stop', []],
  ['stop', ''],
  ['stop', ['']],
  ['stop', ['a', '']],
  ['stop', ['a', 'b', 'c', 'd']],
  ['presence_penalty', -2],
  ['presence_penalty', 2],
  ['frequency_penalty', -2],
  ['frequency_penalty', 2],
  ['repeat_penalty', 1],
  ['repeat_penalty', 0.5],
  ['repeat_penalty', 2],
  ['repetition_penalty', 1.2],
  ['repeat_last_n', -1],
  ['repeat_last_n', 0],
  ['seed', 0],
  ['seed', -1],
  ['seed', Number.MAX_SAFE_INTEGER],
  ['seed', Number.MIN_SAFE_INTEGER],
  ['tools', []],
  ['tools[0].function.description', null],
  ['tools[0].function.parameters', undefined],
  ['tools[0].function.parameters', {}],
  ['tool_choice', 'none'],
  ['tool_choice', 'auto'],
  ['tool_choice', 'required'],
  ['tool_choice', { type: 'function', function: { name: 'add' } }],
  ['tool_choice', 'any'],
  [
    'tool_choice',
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'add' } }] },
    },
  ],
  ['parallel_tool_calls', false],
  ['continue_final_message', true],
  ['add_generation_prompt', false],
  ['dynatemp_range', 0],
  ['dynatemp_exponent', 0],
  ['typical_p', 0],
  ['typical_p', 1],
  ['xtc_probability', 0],
  ['xtc_threshold', 1],
  ['top_n_sigma', -1],
  ['dry_multiplier', 0.8],
  ['dry_base', 1],
  ['dry_allowed_length', 0],
  ['dry_penalty_last_n', -1],
  ['dry_sequence_breakers', ['\n', ':']],
  ['mirostat', 0],
  ['mirostat', 1],
  ['mirostat', 2],
  ['mirostat_tau', 0],
  ['mirostat_eta', 0],
  ['logit_bias', {}],
  ['logit_bias', { 0: -100, 15: 100 }],
  ['cache_prompt', false],
  ['prompt_cache_key', 'ada'],
  ['lora', []],
  ['lora[0].id', 3],
  ['lora[0].scale', -0.5],
  ['n', 1],
  ['n', 8],
  ['logprobs', true],
  ['top_logprobs', 0],
  ['top_logprobs', 20],
  ['response_format.type', 'text'],
  ['response_format.type', 'json_object'],
  ['response_format', { type: 'json_schema', json_schema: { name: 'x', schema: {} } }],
  ['chat_template_kwargs', { enable_thinking: false }],
  ['reasoning_effort', 'low'],
  ['reasoning', {}],
  ['reasoning.effort', 'high'],
  ['reasoning.enabled', false],
  ['enable_thinking', true],
  ['think', true],
  ['think', 'low'],
  ['guided_json', { type: 'object' }],
  ['structured_outputs', {}],
  ['structured_outputs.json', { type: 'object' }],
  ['guided_choice', ['a']],
  ['grammar', ''],
  ['best_of', 1],
  ['user', 'ann'],
  ['return_progress', true],
  ['context_overflow', 'length'],
  ['context_overflow', 'error'],
];

/** Every field except model and messages. */
export const OPTIONAL_FIELDS: string[] = [...new Set(ACCEPTED.map(([field]) => field.split(/[.[]/)[0] ?? ''))].filter(
  (field) => field !== 'model' && field !== 'messages',
);
