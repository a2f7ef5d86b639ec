import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { ContractCase } from '../suite.ts';
import { chatBody, openStream, postChat, readStream, type Target } from '../target.ts';

/** A bounded schema, so that even a model with random weights comes to an end. */
const BOOK = {
  type: 'object',
  properties: {
    kind: { enum: ['novel', 'play', 'poem'] },
    pages: { type: 'integer', minimum: 1, maximum: 900 },
    lent: { type: 'boolean' },
    title: { type: 'string', maxLength: 8 },
    tags: { type: 'array', items: { enum: ['old', 'new'] }, maxItems: 3 },
    version: { const: 1 },
  },
  required: ['kind', 'pages', 'lent', 'title', 'tags', 'version'],
  additionalProperties: false,
};

const TOOLS = [
  { type: 'function', function: { name: 'lend_book', description: 'Lends a book', parameters: BOOK } },
  { type: 'function', function: { name: 'close_library' } },
];

/** So short that eight calls, the most at once, fit the context window. */
const STEP = { type: 'object', properties: { n: { type: 'integer', minimum: -3, maximum: 30 } }, required: ['n'] };

const SHORT_TOOLS = [
  { type: 'function', function: { name: 'step', parameters: STEP } },
  { type: 'function', function: { name: 'end' } },
];

const isStep = new Ajv2020().compile(STEP);

const isBook = new Ajv2020().compile(BOOK);

/** Checks `count` seeds, four at a time. Every other seed is streamed. */
async function forSeeds(count: number, check: (seed: number, stream: boolean) => Promise<void>): Promise<void> {
  const queue = Array.from({ length: count }, (_, seed) => seed);
  const work = async () => {
    for (let seed = queue.pop(); seed !== undefined; seed = queue.pop()) await check(seed, seed % 2 === 1);
  };
  await Promise.all(Array.from({ length: 4 }, work));
}

/** Returns the only choice of a reply. A streamed choice is joined as clients do it. */
async function reply(target: Target, body: Record<string, unknown>, stream: boolean) {
  if (!stream) {
    const { status, body: completion } = await postChat(target, body);
    expect(status, JSON.stringify(completion)).toBe(200);
    const { message, finish_reason, schema_violations } = completion.choices[0];
    return { content: message.content ?? '', calls: message.tool_calls ?? [], finish_reason, schema_violations };
  }
  const events = await readStream(await openStream(target, body));
  expect(events.pop()).toBe('[DONE]');
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  let content = '';
  for (const { choices } of events) {
    content += choices[0].delta.content ?? '';
    for (const { index, ...delta } of choices[0].delta.tool_calls ?? []) {
      // The id and the name come once. All later deltas are arguments.
      if (calls[index] === undefined) calls[index] = delta;
      else {
        expect(delta).toEqual({ function: { arguments: expect.any(String) } });
        calls[index].function.arguments += delta.function.arguments;
      }
    }
  }
  const { finish_reason, schema_violations } = events.at(-1).choices[0];
  return { content, calls, finish_reason, schema_violations };
}

export const toolCases: ContractCase[] = [
  {
    name: 'calls one tool or several, each with arguments of its schema, where a call is required',
    check: async (target) => {
      const body = chatBody({ temperature: 1, max_tokens: null, tools: SHORT_TOOLS, tool_choice: 'required' });
      await forSeeds(Math.min(4, Math.ceil(target.seeds / 2)), async (seed, stream) => {
        const { calls, content, finish_reason } = await reply(target, { ...body, seed }, stream);
        expect(finish_reason, `seed ${seed}`).toBe('tool_calls');
        expect(content.trim()).toBe('');
        expect(calls.length).toBeGreaterThan(0);
        for (const call of calls) {
          expect(call).toMatchObject({ id: expect.stringMatching(/^call_\w+$/), type: 'function' });
          const parsed = JSON.parse(call.function.arguments);
          if (call.function.name === 'end') expect(parsed).toEqual({});
          else expect(isStep(parsed), call.function.arguments).toBe(true);
        }
      });
    },
  },
  {
    name: 'calls a tool with arguments of its schema for every seed, streamed and not, where one is required',
    check: async (target) => {
      const required = { tools: TOOLS, tool_choice: 'required', parallel_tool_calls: false };
      const body = chatBody({ temperature: 1, max_tokens: 300, ...required });
      await forSeeds(target.seeds, async (seed, stream) => {
        const { calls, finish_reason } = await reply(target, { ...body, seed }, stream);
        expect(finish_reason, `seed ${seed}`).toBe('tool_calls');
        expect(calls).toHaveLength(1);
        const { name, arguments: json } = calls[0].function;
        expect(name === 'lend_book' ? isBook(JSON.parse(json)) : json === '{}', json).toBe(true);
      });
    },
  },
  {
    name: 'calls the very tool that is named, once where calls must not be parallel, for every seed',
    check: async (target) => {
      const tool_choice = { type: 'function', function: { name: 'lend_book' } };
      const body = chatBody({ temperature: 1, max_tokens: 300, tools: TOOLS, tool_choice, parallel_tool_calls: false });
      await forSeeds(target.seeds, async (seed, stream) => {
        const { calls } = await reply(target, { ...body, seed }, stream);
        expect(calls.map((call: { function: { name: string } }) => call.function.name)).toEqual(['lend_book']);
        expect(isBook(JSON.parse(calls[0].function.arguments)), calls[0].function.arguments).toBe(true);
      });
    },
  },
  {
    name: 'streams the same calls as it answers whole',
    check: async (target) => {
      // Some calls, the last of which is cut off.
      const body = chatBody({ seed: 4, temperature: 1, max_tokens: 200, tools: SHORT_TOOLS, tool_choice: 'required' });
      const [whole, streamed] = [await reply(target, body, false), await reply(target, body, true)];
      const said = ({ calls }: typeof whole) => calls.map((call: { function: object }) => call.function);
      expect(said(whole).length).toBeGreaterThan(1);
      expect(said(streamed)).toEqual(said(whole));
    },
  },
  {
    name: 'calls a function in the older spelling, whole and streamed, and takes its result',
    check: async (target) => {
      const older = { functions: TOOLS.map((tool) => tool.function), function_call: { name: 'lend_book' } };
      const body = chatBody({ temperature: 1, seed: 2, max_tokens: 300, ...older });
      const { body: whole } = await postChat(target, body);
      const [{ message, finish_reason }] = whole.choices;
      expect(finish_reason).toBe('function_call');
      expect(message).toEqual({ role: 'assistant', content: null, function_call: expect.anything() });
      expect(message.function_call.name).toBe('lend_book');
      expect(isBook(JSON.parse(message.function_call.arguments)), message.function_call.arguments).toBe(true);

      const events = await readStream(await openStream(target, body));
      const deltas = events.flatMap(({ choices }) => choices?.[0].delta.function_call ?? []);
      expect(deltas[0]).toEqual({ name: 'lend_book', arguments: '' });
      expect(deltas.map((delta) => delta.arguments).join('')).toBe(message.function_call.arguments);
      expect(events.some(({ choices }) => choices?.[0].finish_reason === 'function_call')).toBe(true);

      const result = { role: 'function', name: 'lend_book', content: '{"lent": true}' };
      const messages = [{ role: 'user', content: 'hello' }, message, result];
      const { status, body: next } = await postChat(target, chatBody({ messages, functions: older.functions }));
      expect(status, JSON.stringify(next)).toBe(200);
    },
  },
  {
    name: 'streams the arguments of a required call as they are written',
    check: async (target) => {
      const tool_choice = { type: 'function', function: { name: 'lend_book' } };
      const body = chatBody({ temperature: 1, seed: 2, max_tokens: 300, tools: TOOLS, tool_choice });
      const events = await readStream(await openStream(target, body));
      const pieces = events.flatMap(({ choices }) =>
        (choices?.[0].delta.tool_calls ?? []).map(
          (call: { function: { arguments: string } }) => call.function.arguments,
        ),
      );
      expect(pieces.length).toBeGreaterThan(10);
      expect(isBook(JSON.parse(pieces.join('')))).toBe(true);
    },
  },
  {
    name: 'says length of a required call that max_tokens cuts off, with the arguments up to there, streamed and not',
    check: async (target) => {
      const tool_choice = { type: 'function', function: { name: 'lend_book' } };
      const body = chatBody({ temperature: 1, seed: 2, max_tokens: 300, tools: TOOLS, tool_choice });
      const whole = (await reply(target, body, false)).calls[0].function.arguments;
      for (const max_tokens of [1, 12, 60, 75]) {
        for (const stream of [false, true]) {
          const { calls, content, finish_reason } = await reply(target, { ...body, max_tokens }, stream);
          expect({ finish_reason, content }).toEqual({ finish_reason: 'length', content: '' });
          expect(calls).toHaveLength(1);
          expect(calls[0].function.name).toBe('lend_book');
          if (!target.gpu) expect(whole.startsWith(calls[0].function.arguments)).toBe(true);
          if (max_tokens > 50) expect(calls[0].function.arguments).not.toBe('');
        }
      }
    },
  },
  {
    name: 'calls none but the tools of allowed_tools, and shows the model all of them',
    check: async (target) => {
      const tools = [{ type: 'function', function: { name: 'end' } }];
      const allowed = (mode: string) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } });
      const asked = (tool_choice: unknown) =>
        chatBody({ temperature: 1, max_tokens: 60, tools: SHORT_TOOLS, tool_choice });
      await forSeeds(8, async (seed, stream) => {
        const body = { ...asked(allowed('required')), seed, parallel_tool_calls: false };
        const { calls } = await reply(target, body, stream);
        expect(calls.map((call: { function: { name: string } }) => call.function.name)).toEqual(['end']);
      });
      const tokens = async (choice: unknown) => (await postChat(target, asked(choice))).body.usage.prompt_tokens;
      expect(await tokens(allowed('auto'))).toBe(await tokens('auto'));
      const unknown = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [TOOLS[0]] } };
      const { status, body } = await postChat(target, asked(unknown));
      expect({ status, param: body.error?.param }).toEqual({ status: 400, param: 'tool_choice' });
    },
  },
  {
    name: 'shows the tools to the model, unless tool_choice is none',
    check: async (target) => {
      const tokens = async (more: Record<string, unknown>) =>
        (await postChat(target, chatBody(more))).body.usage.prompt_tokens;
      const without = await tokens({});
      expect(await tokens({ tools: TOOLS, tool_choice: 'none' })).toBe(without);
      expect(await tokens({ tools: TOOLS })).toBeGreaterThan(without + 50);
    },
  },
  {
    name: 'refuses a tool_choice without its tool, by name',
    check: async (target) => {
      for (const body of [
        { tool_choice: 'required' },
        { tools: TOOLS, tool_choice: { type: 'function', function: { name: 'burn_book' } } },
      ]) {
        const { status, body: answer } = await postChat(target, chatBody(body));
        expect(status).toBe(400);
        expect(answer.error.param).toBe('tool_choice');
      }
    },
  },
  {
    name: 'replies JSON of the schema for every seed, streamed and not',
    check: async (target) => {
      const response_format = { type: 'json_schema', json_schema: { name: 'book', strict: true, schema: BOOK } };
      const body = chatBody({ temperature: 1, max_tokens: 300, response_format });
      await forSeeds(target.seeds, async (seed, stream) => {
        const { content, finish_reason } = await reply(target, { ...body, seed }, stream);
        expect(finish_reason, `seed ${seed}`).toBe('stop');
        expect(isBook(JSON.parse(content)), content).toBe(true);
      });
    },
  },
  {
    name: 'begins a JSON object where json_object is asked for, and says length when it is cut',
    check: async (target) => {
      const body = chatBody({ temperature: 1, seed: 1, max_tokens: 8, response_format: { type: 'json_object' } });
      const { content, finish_reason } = await reply(target, body, false);
      expect(content.startsWith('{')).toBe(true);
      if (finish_reason === 'stop') expect(JSON.parse(content)).toBeTypeOf('object');
      else expect(finish_reason).toBe('length');
    },
  },
  {
    name: 'says length, with what there is, where an unbounded text runs into max_tokens',
    check: async (target) => {
      const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
      const response_format = { type: 'json_schema', json_schema: { name: 'text', schema } };
      // Without quotes, the text can't end.
      const body = chatBody({ max_tokens: 30, response_format, logit_bias: { 34: -100 } });
      const { content, finish_reason } = await reply(target, body, false);
      expect(finish_reason).toBe('length');
      expect(content).not.toBe('');
      const tools = [{ type: 'function', function: { name: 'note', parameters: schema } }];
      const called = await reply(target, chatBody({ max_tokens: 30, tools, tool_choice: 'required' }), true);
      expect(['length', 'tool_calls']).toContain(called.finish_reason);
      expect(called.calls).toHaveLength(1);
    },
  },
  {
    name: 'says what a reply breaks of its schema where no grammar could enforce it, streamed and not',
    check: async (target) => {
      // Three booleans can't all be different.
      const flags = { type: 'array', items: { type: 'boolean' }, minItems: 3, maxItems: 3, uniqueItems: true };
      const schema = { type: 'object', properties: { flags }, required: ['flags'], additionalProperties: false };
      const response_format = { type: 'json_schema', json_schema: { name: 'flags', schema } };
      const tools = [{ type: 'function', function: { name: 'set', parameters: schema } }];
      const violation = { path: '/flags', keyword: 'uniqueItems', message: expect.stringContaining('no equal items') };
      for (const stream of [false, true]) {
        const json = await reply(target, chatBody({ max_tokens: 60, response_format }), stream);
        expect(json.finish_reason).toBe('stop');
        expect(json.schema_violations).toEqual([violation]);
        const choice = { tools, tool_choice: { type: 'function', function: { name: 'set' } } };
        const called = await reply(target, chatBody({ max_tokens: null, ...choice }), stream);
        expect(called.finish_reason).toBe('tool_calls');
        expect(called.schema_violations).toEqual([{ tool_call: 0, ...violation }]);
      }
      const enforced = { ...response_format, json_schema: { name: 'book', schema: BOOK } };
      const book = await reply(target, chatBody({ max_tokens: 300, response_format: enforced }), false);
      expect(book.schema_violations).toBeUndefined();
    },
  },
  {
    name: 'refuses a schema that it can neither enforce nor check, and names the keyword',
    check: async (target) => {
      const schema = { type: 'object', properties: { a: { type: 'array', items: {}, uniqueitems: true } } };
      const { status, body } = await postChat(
        target,
        chatBody({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
      );
      expect(status).toBe(400);
      expect(body.error.message).toContain('uniqueitems');
      expect(body.error.param).toBe('response_format.json_schema.schema');
    },
  },
];
