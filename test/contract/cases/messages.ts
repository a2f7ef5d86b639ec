import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic, { AuthenticationError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import type { ContentBlock, MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Colour, plainPng } from '../../kit/files/media.ts';
import type { ContractCase } from '../suite.ts';
import { getJson, postJson, type Target, untilIdle, whileFull } from '../target.ts';

/** Bounded, so that a model of random weights comes to an end too; strict, so that a foreign field fails the test. */
const Book = z.strictObject({
  kind: z.enum(['novel', 'play']),
  lent: z.boolean(),
  tags: z.array(z.enum(['old', 'new'])).max(2),
});
const Shelf = z.strictObject({ shelf: z.int().min(1).max(900) });

const goTo: Tool = {
  name: 'go_to',
  description: 'Goes to a shelf',
  input_schema: {
    type: 'object',
    properties: { shelf: { type: 'integer', minimum: 1, maximum: 900 } },
    required: ['shelf'],
    additionalProperties: false,
  },
};
const close: Tool = { name: 'close', input_schema: { type: 'object', properties: {}, additionalProperties: false } };

const hi: MessageParam[] = [{ role: 'user', content: 'hi' }];
/** Never ends its turn by itself. */
const endless = { model: 'tiny', temperature: 0, max_tokens: 12, messages: hi };
/** Soon ends its turn. */
const brief = { model: 'shelf/brief', temperature: 0, max_tokens: 200, messages: hi };

function anthropic({ url, apiKey }: Target, key = apiKey): Anthropic {
  return new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
}

function aiSdk({ url, apiKey }: Target, model: string) {
  return createAnthropic({ baseURL: `${url}/v1`, apiKey })(model);
}

/** Blocks as they are but for the ids of calls, which are new every time. */
function withoutIds(content: ContentBlock[]): object[] {
  return content.map((block) => (block.type === 'tool_use' ? { ...block, id: '' } : block));
}

function post(target: Target, body: unknown, init: RequestInit = {}) {
  return postJson(target, '/v1/messages', body, init);
}

export const messageCases: ContractCase[] = [
  {
    name: 'answers the SDK of Anthropic with a whole message',
    check: async (target) => {
      const message = await anthropic(target).messages.create({ ...endless, system: 'Be kind.' });
      expect(message).toMatchObject({
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'assistant',
        model: 'tiny',
        content: [{ type: 'text', text: expect.stringMatching(/./) }],
        stop_reason: 'max_tokens',
        stop_sequence: null,
        usage: { output_tokens: 12, cache_creation_input_tokens: 0, output_tokens_details: { thinking_tokens: 0 } },
      });
      expect(message._request_id).toMatch(/./);
      const bare = await anthropic(target).messages.create(endless);
      const prompt = ({ usage }: typeof message) => usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
      expect(prompt(message)).toBeGreaterThan(prompt(bare));
      expect((await anthropic(target).messages.create(brief)).stop_reason).toBe('end_turn');
    },
  },
  {
    name: 'streams to the SDK of Anthropic what it would have answered whole',
    byApiAlone: true,
    check: async (target) => {
      const client = anthropic(target);
      for (const body of [endless, { ...brief, tools: [goTo], tool_choice: { type: 'any' as const } }]) {
        const whole = await client.messages.create(body);
        const types: string[] = [];
        const stream = client.messages.stream(body).on('streamEvent', ({ type }) => types.push(type));
        const streamed = await stream.finalMessage();
        expect(withoutIds(streamed.content)).toEqual(withoutIds(whole.content));
        expect(streamed).toMatchObject({
          stop_reason: whole.stop_reason,
          usage: { output_tokens: whole.usage.output_tokens },
        });
        expect([types.at(0), ...types.slice(-3)]).toEqual([
          'message_start',
          'content_block_stop',
          'message_delta',
          'message_stop',
        ]);
      }
    },
  },
  {
    name: 'streams the events of a message in their order, each named by its type, without [DONE]',
    check: async (target) => {
      const reply = await fetch(`${target.url}/v1/messages?beta=true`, {
        method: 'POST',
        body: JSON.stringify({ ...endless, stream: true }),
        headers: { 'x-api-key': target.apiKey, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      });
      expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const events = (await reply.text()).split('\n\n').filter(Boolean);
      const types = events.map((event) => {
        const [, name, data = ''] = /^event: (\w+)\ndata: (.+)$/.exec(event) ?? [];
        expect(JSON.parse(data).type).toBe(name);
        return name;
      });
      const order = types.filter((type, index) => type !== 'ping' && type !== types[index - 1]);
      expect(order).toEqual([
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ]);
    },
  },
  {
    name: 'reads a prompt from the cache although its billing line differs in every request, and counts each token once',
    byApiAlone: true,
    check: async (target) => {
      const system = (count: number) => [
        { type: 'text' as const, text: `x-anthropic-billing-header: cc_version=2.1; cch=${count};` },
        { type: 'text' as const, text: 'You keep the library.', cache_control: { type: 'ephemeral' as const } },
      ];
      const create = (count: number) => anthropic(target).messages.create({ ...endless, system: system(count) });
      const [first, second] = [await create(1), await create(2)];
      expect(second.content).toEqual(first.content);
      const total = ({ usage }: typeof first) => usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
      expect(total(second)).toBe(total(first));
      // All but the last token, which is evaluated again for its logits.
      expect(second.usage.input_tokens).toBe(1);
    },
  },
  {
    name: 'ends a message before a stop sequence, and names it',
    byApiAlone: true,
    check: async (target) => {
      const { messages } = anthropic(target);
      const [block] = (await messages.create(endless)).content;
      const text = block?.type === 'text' ? block.text : '';
      const stop = text.slice(4, 6);
      const stopped = await messages.create({ ...endless, stop_sequences: ['not there', stop] });
      expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: stop });
      expect(stopped.content).toMatchObject([{ text: text.slice(0, text.indexOf(stop)) }]);
    },
  },
  {
    name: 'ends a message with refusal before a filtered text',
    byApiAlone: true,
    check: async (target) => {
      const filtered = { ...endless, messages: [{ role: 'user' as const, content: 'say %%%%' }] };
      expect(await anthropic(target).messages.create(filtered)).toMatchObject({
        content: [],
        stop_reason: 'refusal',
        stop_details: { type: 'refusal' },
      });
    },
  },
  {
    name: 'calls the tool that is named, once where calls must not be parallel, whole and streamed',
    byApiAlone: true,
    check: async (target) => {
      const body = {
        ...brief,
        tools: [close, goTo, { type: 'web_search_20250305' as const, name: 'web_search' as const }],
        tool_choice: { type: 'tool' as const, name: 'go_to', disable_parallel_tool_use: true },
      };
      const { messages } = anthropic(target);
      for (const message of [await messages.create(body), await messages.stream(body).finalMessage()]) {
        expect(message.stop_reason).toBe('tool_use');
        expect(message.content).toMatchObject([
          { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'go_to' },
        ]);
        for (const block of message.content) if (block.type === 'tool_use') Shelf.parse(block.input);
      }
    },
  },
  {
    name: 'runs the tools of the SDK of Anthropic in a loop, and reads their results, whole and streamed',
    byApiAlone: true,
    check: async (target) => {
      for (const stream of [false, true]) {
        const seen: z.infer<typeof Shelf>[] = [];
        const run = (shelf: z.infer<typeof Shelf>) => {
          seen.push(shelf);
          return `shelf ${shelf.shelf} is closed`;
        };
        const tools = [betaZodTool({ name: 'go_to', description: '', inputSchema: Shelf, run })];
        const tool_choice = { type: 'any' as const, disable_parallel_tool_use: true };
        const runner = anthropic(target).beta.messages.toolRunner({
          ...brief,
          stream,
          tools,
          tool_choice,
          max_iterations: 3,
        });
        const prompts: number[] = [];
        for await (const turn of runner) {
          const { usage, stop_reason } = 'usage' in turn ? turn : await turn.finalMessage();
          expect(stop_reason).toBe('tool_use');
          prompts.push(usage.input_tokens + (usage.cache_read_input_tokens ?? 0));
        }
        expect(seen).toHaveLength(3);
        // Each prompt has the call and the result of the turn before.
        expect(prompts).toHaveLength(3);
        expect(prompts).toEqual(prompts.toSorted((one, other) => one - other));
        expect(new Set(prompts).size).toBe(3);
      }
    },
  },
  {
    name: 'reads results of tools, and whether they failed',
    byApiAlone: true,
    check: async (target) => {
      const reply = async (content: string, is_error = false) => {
        const messages: MessageParam[] = [
          ...hi,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'go_to', input: { shelf: 7 } }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content, is_error }] },
        ];
        return (await anthropic(target).messages.create({ ...endless, tools: [goTo], messages })).content;
      };
      const open = await reply('open');
      expect(await reply('shut')).not.toEqual(open);
      expect(await reply('open', true)).not.toEqual(open);
    },
  },
  {
    name: 'takes back the thinking that it signed, whoever signed it',
    byApiAlone: true,
    check: async (target) => {
      const thought = (signature: string): MessageParam[] => [
        ...hi,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature },
            { type: 'text', text: 'Yes?' },
          ],
        },
        ...hi,
      ];
      for (const signature of ['paddock', '', 'EqQBCgIYAhIM1gbc'])
        expect((await anthropic(target).messages.create({ ...endless, messages: thought(signature) })).type).toBe(
          'message',
        );
    },
  },
  {
    name: 'writes JSON of the schema for the SDK of Anthropic to parse',
    byApiAlone: true,
    check: async (target) => {
      const output_config = { format: zodOutputFormat(Book) };
      const { parsed_output: book } = await anthropic(target).messages.parse({ ...brief, output_config });
      expect(Book.parse(book)).toEqual(book);
    },
  },
  {
    name: 'looks at the images of a message',
    check: async (target) => {
      const say = async (colour: Colour) => {
        const data = Buffer.from(plainPng(colour)).toString('base64');
        const source = { type: 'base64' as const, media_type: 'image/png' as const, data };
        const content = [
          { type: 'image' as const, source },
          { type: 'text' as const, text: 'What is it?' },
        ];
        const body = { ...endless, model: 'tiny/vision/eye', messages: [{ role: 'user' as const, content }] };
        return (await anthropic(target).messages.create(body)).content;
      };
      const red = await say([255, 0, 0]);
      expect(red).not.toEqual([]);
      expect(await say([0, 0, 255])).not.toEqual(red);
    },
  },
  {
    name: 'counts the tokens of a message before it is sent',
    check: async (target) => {
      const { messages } = anthropic(target);
      const { max_tokens: _, temperature: __, ...counted } = { ...endless, system: 'Be kind.', tools: [goTo] };
      const { input_tokens: count } = await messages.countTokens(counted);
      const { usage } = await messages.create({ ...counted, max_tokens: 1 });
      expect(count).toBe(usage.input_tokens + (usage.cache_read_input_tokens ?? 0));
    },
  },
  {
    name: 'lists and retrieves models for the SDK of Anthropic',
    byApiAlone: true,
    check: async (target) => {
      const { models } = anthropic(target);
      const ids: string[] = [];
      for await (const { id, type, display_name, created_at } of models.list()) {
        expect({ type, display_name }).toEqual({ type: 'model', display_name: expect.stringMatching(/./) });
        expect(new Date(created_at).toISOString()).toBe(created_at);
        ids.push(id);
      }
      expect(ids).toContain('tiny');
      expect(await models.retrieve('shelf/brief')).toMatchObject({ id: 'shelf/brief', type: 'model' });
    },
  },
  {
    name: 'gives the SDK of Anthropic its own error classes, types and words',
    byApiAlone: true,
    check: async (target) => {
      const thrown = (call: PromiseLike<unknown>) => Promise.resolve(call).catch((error: unknown) => error);
      const create = (more: object, key?: string) =>
        thrown(anthropic(target, key).messages.create({ ...endless, ...more }));
      const wrongKey = await create({}, 'wrong');
      expect(wrongKey).toBeInstanceOf(AuthenticationError);
      expect(wrongKey).toMatchObject({ status: 401, type: 'authentication_error', requestID: expect.any(String) });
      const noModel = await create({ model: 'claude-sonnet-9' });
      expect(noModel).toBeInstanceOf(NotFoundError);
      expect(noModel).toMatchObject({ status: 404, type: 'not_found_error', errorCode: 'model_not_found' });
      const bad = await create({ temperature: 2 });
      expect(bad).toBeInstanceOf(BadRequestError);
      expect(bad).toMatchObject({
        type: 'invalid_request_error',
        apiMessage: 'temperature must be a number between 0 and 1.',
      });
    },
  },
  {
    name: 'answers a prompt of a message that is too long with a 400 before the stream, in the words of Anthropic',
    byApiAlone: true,
    check: async (target) => {
      const messages = [{ role: 'user', content: 'a '.repeat(1500) }];
      for (const stream of [false, true]) {
        const { status, body } = await post(target, { ...endless, messages, stream });
        expect(status).toBe(400);
        expect(body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
        expect(body.error.message).toMatch(/^prompt is too long: \d+ tokens > 1024 maximum$/);
      }
    },
  },
  {
    name: 'answers everything that is wrong with a request for a message as Anthropic does',
    check: async (target) => {
      const wrong: [status: number, type: string, reply: Promise<{ status: number; body: unknown }>][] = [
        [401, 'authentication_error', post(target, endless, { headers: { authorization: '', 'x-api-key': 'wrong' } })],
        [404, 'not_found_error', getJson(target, '/v1/messages/none')],
        [405, 'invalid_request_error', getJson(target, '/v1/messages')],
        [413, 'request_too_large', post(target, { ...endless, system: 'x'.repeat(33 * 1024 * 1024) })],
        [415, 'invalid_request_error', post(target, 'model=tiny', { headers: { 'content-type': 'text/plain' } })],
        [400, 'invalid_request_error', post(target, '{"model": ')],
        [400, 'invalid_request_error', postJson(target, '/v1/messages/count_tokens', { model: 'tiny' })],
      ];
      for (const [status, type, reply] of wrong) {
        expect(await reply).toMatchObject({
          status,
          body: { type: 'error', error: { type, message: expect.stringMatching(/./) }, request_id: expect.any(String) },
        });
      }
    },
  },
  {
    name: 'answers a message with 529 and Retry-After when the queue is full',
    check: async (target) => {
      const small = { ...target, url: target.smallUrl };
      const status = await whileFull(small, async () => {
        const refused = await post(small, endless);
        expect(refused).toMatchObject({ status: 529, body: { type: 'error', error: { type: 'overloaded_error' } } });
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      });
      expect(status).toBe(200);
    },
  },
  {
    name: 'frees the slot of a message that its client leaves',
    check: async (target) => {
      for await (const { type } of anthropic(target).messages.stream({ ...endless, max_tokens: 100_000 })) {
        if (type === 'content_block_delta') break;
      }
      await untilIdle(target);
    },
  },
  {
    name: 'speaks with the AI SDK for Anthropic: text, whole and streamed alike',
    byApiAlone: true,
    check: async (target) => {
      const body = { model: aiSdk(target, 'tiny'), prompt: 'hi', temperature: 0, maxOutputTokens: 12, maxRetries: 0 };
      const whole = await generateText(body);
      expect(whole).toMatchObject({ finishReason: 'length', usage: { outputTokens: 12 } });
      const stream = streamText(body);
      const parts: string[] = [];
      for await (const part of stream.textStream) parts.push(part);
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.join('')).toBe(whole.text);
      expect(await stream.usage).toMatchObject({ outputTokens: 12, inputTokens: whole.usage.inputTokens });
    },
  },
  {
    name: 'speaks with the AI SDK for Anthropic: tools in a loop, and an object of a schema',
    byApiAlone: true,
    check: async (target) => {
      const seen: z.infer<typeof Shelf>[] = [];
      const execute = async (shelf: z.infer<typeof Shelf>) => {
        seen.push(shelf);
        return { open: false };
      };
      const body = {
        model: aiSdk(target, 'shelf/brief'),
        prompt: 'hi',
        temperature: 0,
        maxOutputTokens: 200,
        maxRetries: 0,
      };
      const stream = streamText({
        ...body,
        tools: { goTo: tool({ inputSchema: Shelf, execute }) },
        stopWhen: stepCountIs(2),
        prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? 'required' : 'none' }),
      });
      expect((await stream.steps).map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
      expect(seen.length).toBeGreaterThan(0);
      expect(await stream.text).not.toBe('');
      const { output } = await generateText({ ...body, output: Output.object({ schema: Book }) });
      expect(Book.parse(output)).toEqual(output);
    },
  },
];
