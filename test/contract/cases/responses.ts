import { createOpenAI } from '@ai-sdk/openai';
import { generateObject, generateText, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { BadRequestError, NotFoundError } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { expect } from 'vitest';
import { z } from 'zod';
import { plainPng } from '../../kit/files/media.ts';
import type { ContractCase } from '../suite.ts';
import { getJson, openai, postJson, type Target } from '../target.ts';

const greedy = { temperature: 0 };
const short = { ...greedy, model: 'tiny', input: 'hello', max_output_tokens: 16 };
const brief = { ...greedy, model: 'shelf/brief' };

/** Bounded, so that even a model of random weights comes to an end. */
const Book = z.strictObject({ kind: z.enum(['novel', 'play']), pages: z.int().min(1).max(900) });
const Step = z.strictObject({ n: z.int().min(-3).max(30) });

const step = { type: 'function' as const, name: 'step', parameters: z.toJSONSchema(Step), strict: true };

/** The AI SDK's default for OpenAI, which is this endpoint. */
function aiSdk(target: Target, model: string) {
  return createOpenAI({ baseURL: `${target.url}/v1`, apiKey: target.apiKey })(model);
}

const aiTools = { step: tool({ inputSchema: Step, execute: async ({ n }) => ({ next: n + 1 }) }) };

/** A run of the AI SDK that calls a tool first and writes a text then. */
const loop = (target: Target) => ({
  ...greedy,
  model: aiSdk(target, 'shelf/brief'),
  maxOutputTokens: 200,
  prompt: 'hi',
  tools: aiTools,
  stopWhen: stepCountIs(3),
  prepareStep: ({ stepNumber }: { stepNumber: number }) => ({
    toolChoice: stepNumber < 2 ? ('required' as const) : ('none' as const),
  }),
});

export const responseCases: ContractCase[] = [
  {
    name: 'runs no tools of MCP servers that nobody has configured, and says so',
    check: async (target) => {
      const mcp = { type: 'mcp', server_label: 'files' };
      const wanted: [string, object][] = [
        ['/v1/responses', { ...short, tools: [mcp] }],
        ['/v1/chat/completions', { model: 'tiny', messages: [{ role: 'user', content: 'hello' }], tools: [mcp] }],
      ];
      for (const [path, body] of wanted) {
        const { status, body: reply } = await postJson(target, path, body);
        // A service worker can't have any; a server may have some.
        expect([
          [400, 'unknown_mcp_server'],
          [501, 'not_supported_here'],
        ]).toContainEqual([status, reply.error.code]);
      }
    },
  },
  {
    name: 'answers the openai client with a whole response',
    check: async (target) => {
      const response = await openai(target).responses.create(short);
      expect(response).toMatchObject({
        id: expect.stringMatching(/^resp_\w+$/),
        object: 'response',
        model: 'tiny',
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ type: 'message', role: 'assistant', status: 'incomplete' }],
        usage: {
          output_tokens: 16,
          output_tokens_details: { reasoning_tokens: 0 },
          input_tokens_details: { cached_tokens: expect.any(Number) },
        },
      });
      expect(response.output_text).not.toBe('');
      const { input_tokens = 0, total_tokens } = response.usage ?? {};
      expect(total_tokens).toBe(input_tokens + 16);
    },
  },
  {
    name: 'streams to the openai client the response that it answers whole, event by event',
    check: async (target) => {
      const whole = await openai(target).responses.create({ ...brief, input: 'hi' });
      const stream = openai(target).responses.stream({ ...brief, input: 'hi' });
      const types: string[] = [];
      let deltas = '';
      for await (const event of stream) {
        expect(event.sequence_number).toBe(types.length);
        types.push(event.type);
        if (event.type === 'response.output_text.delta') deltas += event.delta;
      }
      const final = await stream.finalResponse();
      expect(final.status).toBe('completed');
      expect(final.output_text).toBe(whole.output_text);
      expect(deltas).toBe(whole.output_text);
      expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]);
    },
  },
  {
    name: 'calls a tool for the openai client, takes its result, and goes on from the stored response',
    check: async (target) => {
      const client = openai(target);
      const body = { ...brief, tools: [step], max_output_tokens: 200 };
      const stream = client.responses.stream({
        ...body,
        input: 'hi',
        tool_choice: 'required',
        parallel_tool_calls: false,
      });
      const first = await stream.finalResponse();
      const [call] = first.output;
      if (call?.type !== 'function_call') throw new Error(`no call: ${JSON.stringify(first.output)}`);
      expect(Step.parse(JSON.parse(call.arguments))).toEqual(call.parsed_arguments);
      expect(call.call_id).toMatch(/^call_\w+$/);
      expect(call.id).not.toBe(call.call_id);
      const output = { type: 'function_call_output' as const, call_id: call.call_id, output: '{"next":4}' };
      const stored = await client.responses.create({
        ...body,
        previous_response_id: first.id,
        input: [output],
        tool_choice: 'none',
      });
      const sent = await client.responses.create({
        ...body,
        input: [{ role: 'user', content: 'hi' }, call, output],
        tool_choice: 'none',
        store: false,
      });
      expect(stored.output_text).not.toBe('');
      expect(stored.output_text).toBe(sent.output_text);
      expect(stored.usage?.input_tokens).toBe(sent.usage?.input_tokens);
    },
  },
  {
    name: 'gives back a stored response until it is deleted, and none that was not to be stored',
    check: async (target) => {
      const { responses } = openai(target);
      const made = await responses.create({ ...short, metadata: { a: 'b' } });
      expect(await responses.retrieve(made.id)).toEqual(made);
      await responses.delete(made.id);
      await expect(responses.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
      await expect(responses.delete(made.id)).rejects.toBeInstanceOf(NotFoundError);
      const { id } = await responses.create({ ...short, store: false });
      expect((await getJson(target, `/v1/responses/${id}`)).status).toBe(404);
    },
  },
  {
    name: 'refuses references to responses and items that it does not have',
    check: async (target) => {
      const { responses } = openai(target);
      const response = responses.create({ ...short, previous_response_id: 'resp_none' });
      await expect(response).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
      const item = responses.create({ ...short, input: [{ type: 'item_reference', id: 'msg_none' }] });
      await expect(item).rejects.toMatchObject({ status: 400, code: 'item_not_found', param: 'input[0]' });
    },
  },
  {
    name: 'parses the structured output of a response for the openai client',
    byApiAlone: true,
    check: async (target) => {
      const text = { format: zodTextFormat(Book, 'book') };
      const { output_parsed } = await openai(target).responses.parse({ ...brief, input: 'hi', text });
      expect(Book.parse(output_parsed)).toEqual(output_parsed);
    },
  },
  {
    name: 'takes the tools and fields of agents that have no meaning here, and refuses what would change the reply',
    byApiAlone: true,
    check: async (target) => {
      const codex = {
        ...short,
        instructions: 'Be brief.',
        input: [
          { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'One.' }] },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi.' }] },
        ],
        tools: [step, { type: 'web_search' }, { type: 'namespace', name: 'agents', tools: [] }],
        tool_choice: 'auto',
        parallel_tool_calls: true,
        reasoning: { effort: 'medium', summary: 'auto' },
        store: false,
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: 'key',
        text: { verbosity: 'low' },
        client_metadata: { session: 'one' },
      };
      const taken = await postJson(target, '/v1/responses', codex);
      expect(taken.status, JSON.stringify(taken.body)).toBe(200);
      for (const [field, value] of Object.entries({ background: true, prompt: { id: 'p' } })) {
        const { status, body } = await postJson(target, '/v1/responses', { ...short, [field]: value });
        expect(status).toBe(400);
        expect(body.error).toMatchObject({ code: 'unsupported_parameter', param: field });
      }
    },
  },
  {
    name: 'keeps a conversation for the openai client, and goes on in it, whole and streamed',
    check: async (target) => {
      const client = openai(target);
      const { id } = await client.conversations.create({ items: [{ role: 'user', content: 'hello' }] });
      const whole = await client.responses.create({ ...short, input: 'and', conversation: id });
      expect(whole.conversation).toEqual({ id });
      const stream = await client.responses.create({ ...short, input: 'then', conversation: { id }, stream: true });
      for await (const event of stream) if (event.type === 'response.failed') throw new Error(JSON.stringify(event));
      const items = [];
      for await (const item of client.conversations.items.list(id, { order: 'asc', limit: 2 })) items.push(item);
      expect(items.map((item) => 'role' in item && item.role)).toEqual([
        'user',
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
      const said = ['hello', 'and'].map((content) => ({ role: 'user' as const, content }));
      const alone = await client.responses.create({ ...short, input: said });
      expect(alone.output_text).toBe(whole.output_text);
      await client.conversations.items.delete(items[0]?.id ?? '', { conversation_id: id });
      await client.conversations.delete(id);
      await expect(client.conversations.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
      await expect(client.responses.create({ ...short, conversation: id })).rejects.toBeInstanceOf(NotFoundError);
    },
  },
  {
    name: 'refuses a response to a prompt that does not fit, with the words that clients look for',
    byApiAlone: true,
    check: async (target) => {
      for (const stream of [false, true]) {
        const response = openai(target).responses.create({ ...short, input: 'word '.repeat(2000), stream });
        await expect(response).rejects.toBeInstanceOf(BadRequestError);
        await expect(response).rejects.toMatchObject({
          code: 'context_length_exceeded',
          message: expect.stringMatching(/this model's maximum context length is 1024 tokens, the prompt has \d+/),
        });
      }
    },
  },
  {
    name: 'reads all of a conversation but its new part from the cache, whatever ids its items have',
    byApiAlone: true,
    check: async (target) => {
      const client = openai(target);
      const input = `${Math.random()} ${'one two three four '.repeat(8)}`;
      const first = await client.responses.create({ ...short, input });
      const next = [
        { role: 'user' as const, content: input },
        ...(first.output as ResponseInput),
        { role: 'user' as const, content: 'And?' },
      ];
      const { usage } = await client.responses.create({ ...short, input: next });
      expect(usage?.input_tokens_details.cached_tokens).toBeGreaterThanOrEqual(first.usage?.input_tokens ?? Infinity);
    },
  },
  {
    name: 'looks at the images of a response',
    byApiAlone: true,
    check: async (target) => {
      const look = async (colour: [number, number, number]) => {
        const image_url = `data:image/png;base64,${Buffer.from(plainPng(colour)).toString('base64')}`;
        const image = { type: 'input_image' as const, image_url, detail: 'auto' as const };
        const content = [{ type: 'input_text' as const, text: 'Look.' }, image];
        const body = { ...short, model: 'tiny/vision/eye', input: [{ role: 'user' as const, content }] };
        return (await openai(target).responses.create(body)).output_text;
      };
      const red = await look([255, 0, 0]);
      expect(await look([255, 0, 0])).toBe(red);
      expect(await look([0, 0, 255])).not.toBe(red);
    },
  },
  {
    name: 'runs the tool loop of the AI SDK, which refers to what it has been told by ids',
    check: async (target) => {
      const { steps, text, response } = await generateText(loop(target));
      expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop']);
      expect(steps[0]?.toolResults.length).toBeGreaterThan(0);
      expect(text).not.toBe('');
      const messages: ModelMessage[] = [
        { role: 'user', content: 'hi' },
        ...response.messages,
        { role: 'user', content: 'And?' },
      ];
      const model = aiSdk(target, 'shelf/brief');
      const after = await generateText({ ...greedy, model, messages, tools: aiTools, toolChoice: 'none' });
      expect(JSON.stringify(after.request.body)).toContain('item_reference');
      expect(after.text).not.toBe('');
    },
  },
  {
    name: 'streams the tool loop of the AI SDK',
    byApiAlone: true,
    check: async (target) => {
      const whole = await generateText(loop(target));
      const stream = streamText(loop(target));
      const errors: unknown[] = [];
      for await (const part of stream.fullStream) if (part.type === 'error') errors.push(part.error);
      expect(errors).toEqual([]);
      expect(await stream.text).toBe(whole.text);
      expect((await stream.steps).map(({ toolCalls }) => toolCalls.map(({ input }) => input))).toEqual(
        whole.steps.map(({ toolCalls }) => toolCalls.map(({ input }) => input)),
      );
    },
  },
  {
    name: 'generates an object for the AI SDK by its default endpoint',
    byApiAlone: true,
    check: async (target) => {
      const { object } = await generateObject({
        ...greedy,
        model: aiSdk(target, 'shelf/brief'),
        prompt: 'hi',
        schema: Book,
      });
      expect(Book.parse(object)).toEqual(object);
    },
  },
];
