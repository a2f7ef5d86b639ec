import { describe, expect, it } from 'vitest';
import { toChatConversation } from '../../../src/api/chat/request.ts';
import { chatRequestSchema } from '../../../src/api/chat/schema.ts';
import { validate } from '../../../src/api/fields/fields.ts';
import { toGenerationRequest } from '../../../src/api/generation/request.ts';
import type { ReplyEvent } from '../../../src/api/mcp/events.ts';
import { MCP_LIMITS } from '../../../src/api/mcp/limits.ts';
import { type McpLoop, runMcpLoop } from '../../../src/api/mcp/loop.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { GenerationRequest } from '../../../src/contract/generation-request.ts';
import type { ChatPrompt } from '../../../src/contract/prompt.ts';
import {
  collect,
  done,
  finish,
  hello,
  modelCard,
  reasoning,
  streamOf,
  text,
  toolArguments,
  toolCall,
} from '../fixtures.ts';
import { answering, calling, mcpServer, mcpTool, offered } from './fixtures.ts';

const server = mcpServer('shelves', []);
const add = offered(server, mcpTool('add'));
const drop = offered(server, mcpTool('drop'), { asks: true });

/** Runs the loop over these generations. */
async function replyOf(generations: GenerationEvent[][], more: Partial<McpLoop> & { body?: object } = {}) {
  const { body = {}, ...overrides } = more;
  const asked: GenerationRequest[] = [];
  const called: [string, string, number][] = [];
  const offer = { tools: [add, drop], listings: [] };
  const conversation = toChatConversation(validate(chatRequestSchema, { ...hello, ...body }), offer);
  const events = await collect(
    runMcpLoop({
      generation: toGenerationRequest(conversation, modelCard(), []),
      offer,
      listings: [],
      approved: [],
      limits: MCP_LIMITS,
      run(request) {
        asked.push(request);
        return streamOf(generations[asked.length - 1] ?? []);
      },
      async call({ name }, json, ms) {
        called.push([name, json, ms]);
        return { text: `${name} did ${json}`, failed: false };
      },
      ...overrides,
    }),
  );
  const prompts = asked.map(({ prompt }) => prompt as ChatPrompt);
  return { events, kinds: events.map(({ kind }) => kind), asked, prompts, called };
}

function eventOf<Kind extends ReplyEvent['kind']>(events: ReplyEvent[], kind: Kind) {
  return events.find((event): event is Extract<ReplyEvent, { kind: Kind }> => event.kind === kind);
}

describe('a reply with tools that the server runs', () => {
  it('goes on with the result of a call, as one reply', async () => {
    const { kinds, prompts, called } = await replyOf([calling(['add', '{"n":1}']), answering()]);
    expect(kinds).toEqual([
      'progress',
      'mcpCall',
      'mcpArguments',
      'mcpCalling',
      'mcpCalled',
      'progress',
      'text',
      'finish',
      'done',
    ]);
    expect(called).toEqual([['add', '{"n":1}', MCP_LIMITS.callMs]]);
    const [first, second] = prompts;
    expect(second?.messages.slice(0, -2)).toEqual(first?.messages);
    const [message, result] = second?.messages.slice(-2) ?? [];
    expect(message).toMatchObject({
      role: 'assistant',
      tool_calls: [{ function: { name: 'add', arguments: '{"n":1}' } }],
    });
    expect(result).toEqual({ role: 'tool', content: 'add did {"n":1}', tool_call_id: message?.tool_calls?.[0]?.id });
  });

  it('keeps the texts and thoughts of the model in the next prompt, without marks of images', async () => {
    const said = [reasoning('Hm.'), text('Let me \u{E000}media1 see.'), ...calling(['add', '{}'])];
    const { prompts } = await replyOf([said, answering()]);
    expect(prompts[1]?.messages.at(-2)).toMatchObject({ reasoning_content: 'Hm.', content: 'Let me media1 see.' });
  });

  it('makes several calls one after the other, and numbers those of all generations', async () => {
    const { events, called } = await replyOf([
      calling(['add', '{"n":1}'], ['add', '{"n":2}']),
      calling(['add', '{"n":3}']),
      answering(),
    ]);
    expect(called.map(([, json]) => json)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(events.flatMap((event) => (event.kind === 'mcpCalled' ? [event.call] : []))).toEqual([0, 1, 2]);
  });

  it('counts the tokens of all generations', async () => {
    const last = [
      text('x'),
      finish(),
      done({ promptTokens: 20, cachedTokens: 15, completionTokens: 2, reasoningTokens: 1 }),
    ];
    const { events } = await replyOf([calling(['add', '{}']), last]);
    expect(events.at(-1)).toMatchObject({
      promptTokens: 32,
      cachedTokens: 19,
      completionTokens: 5,
      reasoningTokens: 1,
      promptMs: 40,
    });
  });

  it('forces a call once, and lets the model answer after it', async () => {
    const { prompts } = await replyOf([calling(['add', '{}']), answering()], { body: { tool_choice: 'required' } });
    expect(prompts.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'auto']);
  });

  it("ends with a call of the client's own tool, and has made those of its own by then", async () => {
    const both = calling(['add', '{}'], ['mine', '{"a":1}']);
    const { events, kinds, asked } = await replyOf([both]);
    expect(asked).toHaveLength(1);
    expect(eventOf(events, 'toolCall')).toMatchObject({ index: 0, name: 'mine' });
    expect(eventOf(events, 'toolArguments')).toMatchObject({ index: 0, text: '{"a":1}' });
    expect(kinds.slice(-4)).toEqual(['mcpCalling', 'mcpCalled', 'finish', 'done']);
    expect(eventOf(events, 'finish')?.reason).toBe('tool_calls');
  });

  it('ends with the question for an approval, and does not make the call', async () => {
    const { events, asked, called } = await replyOf([calling(['drop', '{"n":1}'])]);
    expect([asked.length, called.length]).toEqual([1, 0]);
    expect(eventOf(events, 'mcpApproval')).toEqual({ kind: 'mcpApproval', tool: drop, json: '{"n":1}' });
    expect(eventOf(events, 'mcpCall')).toBeUndefined();
  });

  it('makes an approved call first, and puts its result in the place that the prompt has for it', async () => {
    const messages = [
      ...hello.messages,
      { role: 'assistant', tool_calls: [{ id: 'mcpr_1', function: { name: 'drop', arguments: '{}' } }] },
      { role: 'tool', content: '', tool_call_id: 'mcpr_1' },
      { role: 'user', content: 'Go on.' },
    ];
    const approved = [{ callId: 'mcpr_1', approvalId: 'mcpr_1', tool: drop, json: '{}' }];
    const { events, prompts } = await replyOf([calling(['add', '{}']), answering()], { body: { messages }, approved });
    expect(events[0]).toEqual({ kind: 'mcpCall', call: 0, tool: drop, approvalId: 'mcpr_1' });
    expect(prompts[0]?.messages[2]).toMatchObject({ role: 'tool', content: 'drop did {}' });
    expect(events.flatMap((event) => (event.kind === 'mcpCalled' ? [event.call] : []))).toEqual([0, 1]);
  });

  it('makes no call that the limit of tokens has cut', async () => {
    const cut = [toolCall('add'), toolArguments('{"n":'), finish('length'), done()];
    const { events, called } = await replyOf([cut]);
    expect(called).toEqual([]);
    expect(eventOf(events, 'finish')?.reason).toBe('length');
  });

  it('tells the lists of tools with the first event, so that an error before it can be a status', async () => {
    const listings = [{ label: 'shelves', tools: [], error: null }];
    const { kinds } = await replyOf([answering()], { listings });
    expect(kinds.slice(0, 2)).toEqual(['mcpListed', 'progress']);
    const failing = replyOf([], {
      listings,
      // biome-ignore lint/correctness/useYield: it fails before its first event.
      async *run() {
        throw new Error('no memory');
      },
    });
    await expect(failing).rejects.toThrow('no memory');
  });
});

describe('the limits of a reply with tools that the server runs', () => {
  it('are a number of calls, after which the model answers without tools', async () => {
    const again = calling(['add', '{}'], ['add', '{}']);
    const { events, prompts, called } = await replyOf([again, again, answering()], {
      limits: { ...MCP_LIMITS, calls: 3 },
    });
    expect(called).toHaveLength(3);
    const results = events.flatMap((event) => (event.kind === 'mcpCalled' ? [event.result] : []));
    expect(results.at(-1)).toEqual({ text: 'The call was not made: a reply may have 3 calls.', failed: true });
    expect(prompts.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'none']);
  });

  it('are a time for all calls together, which the last one may not exceed either', async () => {
    let now = 0;
    const { called, prompts, events } = await replyOf(
      [calling(['add', '{}']), calling(['add', '{}'], ['add', '{}']), answering()],
      {
        limits: { calls: 9, callMs: 60_000, totalMs: 100_000 },
        now: () => now,
        async call(_, __, ms) {
          now += 70_000;
          return { text: String(ms), failed: false };
        },
      },
    );
    expect(called).toEqual([]);
    const results = events.flatMap((event) => (event.kind === 'mcpCalled' ? [event.result.text] : []));
    expect(results).toEqual(['60000', '30000', 'The call was not made: calls may run for 100 s in a reply.']);
    expect(prompts.at(-1)?.toolChoice).toBe('none');
  });

  it('are the tokens of the request, for all generations together', async () => {
    const { asked } = await replyOf([calling(['add', '{}']), answering()], { body: { max_tokens: 10 } });
    expect(asked.map(({ maxTokens }) => maxTokens)).toEqual([10, 7]);
    const spent = await replyOf([calling(['add', '{}'])], { body: { max_tokens: 3 } });
    expect(spent.called).toHaveLength(1);
    expect(eventOf(spent.events, 'finish')?.reason).toBe('length');
  });
});
