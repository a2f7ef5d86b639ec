import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { McpServer } from '../../../src/contract/mcp.ts';
import type { ChatPrompt } from '../../../src/contract/prompt.ts';
import { createContext, done, failing, finish, readBody, readJson, toolArguments, toolCall } from '../fixtures.ts';
import { answering, calling, everyone, mcpServer, mcpTool, runnerOf } from '../mcp/fixtures.ts';
import { readEvents, respond } from './fixtures.ts';

const free = { type: 'mcp', server_label: 'shelves', require_approval: 'never' };
const asking = { type: 'mcp', server_label: 'shelves' };
const own = { type: 'function', name: 'mine', parameters: { type: 'object' } };

function apiOver(generations: GenerationEvent[][], overrides: Partial<McpServer> = {}) {
  const server = mcpServer('shelves', [mcpTool('add'), mcpTool('drop')], overrides);
  const runner = runnerOf(...generations);
  const { context } = createContext({ runner, mcp: everyone(server) });
  const api = createApi(context);
  const ask = async (body: object) => readJson(await api(respond({ ...body })));
  const prompts = () => runner.asked.map(({ request }) => request.prompt as ChatPrompt);
  return { api, ask, server, runner, prompts };
}

const typesOf = (response: { output: { type: string }[] }) => response.output.map(({ type }) => type);

describe('a response with the tools of an MCP server', () => {
  it('has the list of tools, the calls with their results, and the answer', async () => {
    const { ask, server, prompts } = apiOver([calling(['add', '{"n":1}']), answering()]);
    const response = await ask({ tools: [free] });
    expect(response).toMatchObject({
      status: 'completed',
      output: [
        {
          type: 'mcp_list_tools',
          id: expect.stringMatching(/^mcpl_/),
          server_label: 'shelves',
          error: null,
          tools: [
            {
              name: 'add',
              description: 'Does add.',
              input_schema: { type: 'object' },
              annotations: { read_only: true },
            },
            { name: 'drop' },
          ],
        },
        {
          type: 'mcp_call',
          id: expect.stringMatching(/^mcp_/),
          status: 'completed',
          server_label: 'shelves',
          name: 'add',
          arguments: '{"n":1}',
          output: 'add {"n":1}',
          error: null,
          approval_request_id: null,
        },
        { type: 'message', content: [{ text: 'So be it.' }] },
      ],
      usage: { input_tokens: 24, output_tokens: 6 },
      tools: [free],
    });
    expect(server.calls).toEqual([['add', { n: 1 }]]);
    expect(prompts()[0]?.tools.map(({ name }) => name)).toEqual(['add', 'drop']);
  });

  it("streams OpenAI's events, and the same response", async () => {
    const { api } = apiOver([calling(['add', '{"n":1}']), answering()]);
    const events = readEvents(await readBody(await api(respond({ tools: [free], stream: true }))));
    expect(events.map(({ event }) => event.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'mcp_list_tools.in_progress',
      'mcp_list_tools.completed',
      'output_item.done',
      'output_item.added',
      'mcp_call.in_progress',
      'mcp_call_arguments.delta',
      'mcp_call_arguments.done',
      'mcp_call.completed',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, index) => index));
    const [added, begun, delta, complete, called, ended] = events.slice(6).map(({ data }) => data);
    expect(added.item).toMatchObject({ type: 'mcp_call', status: 'in_progress', arguments: '', output: null });
    const at = { item_id: added.item.id, output_index: 1 };
    expect([begun, delta, complete, called]).toMatchObject([
      at,
      { ...at, delta: '{"n":1}' },
      { ...at, arguments: '{"n":1}' },
      at,
    ]);
    expect(ended).toMatchObject({ output_index: 1, item: { id: added.item.id, output: 'add {"n":1}' } });
    expect(typesOf(events.at(-1)?.data.response)).toEqual(['mcp_list_tools', 'mcp_call', 'message']);
  });

  it('keeps several open calls apart', async () => {
    const { api } = apiOver([calling(['add', '{"n":1}'], ['drop', '{"n":2}']), answering()]);
    const events = readEvents(await readBody(await api(respond({ tools: [free], stream: true }))));
    const ended = events.filter(({ event }) => event === 'response.output_item.done').map(({ data }) => data);
    expect(ended.slice(1, 3)).toMatchObject([
      { output_index: 1, item: { name: 'add', output: 'add {"n":1}' } },
      { output_index: 2, item: { name: 'drop', output: 'drop {"n":2}' } },
    ]);
  });

  it('has a failed item for a tool that fails, and goes on', async () => {
    const call = async () => ({ text: 'The MCP server has ended.', failed: true });
    const { api, prompts } = apiOver([calling(['add', '{}']), answering()], { call });
    const events = readEvents(await readBody(await api(respond({ tools: [free], stream: true }))));
    expect(events.map(({ event }) => event)).toContain('response.mcp_call.failed');
    expect(events.at(-1)?.data.response).toMatchObject({
      status: 'completed',
      output: [{}, { status: 'failed', error: 'The MCP server has ended.', output: null }, { type: 'message' }],
    });
    expect(prompts()[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'The MCP server has ended.' });
  });

  it('has a failed list for a server that can not be reached, and answers without its tools', async () => {
    const error = 'The MCP server can not be reached.';
    const { api } = apiOver([answering()], { list: async () => ({ tools: [], error }) });
    const events = readEvents(await readBody(await api(respond({ tools: [free], stream: true }))));
    expect(events.map(({ event }) => event)).toContain('response.mcp_list_tools.failed');
    expect(events.at(-1)?.data.response.output).toMatchObject([{ type: 'mcp_list_tools', tools: [], error }, {}]);
  });

  it('does not fail for a forced call of a tool that its server could not list', async () => {
    const list = async () => ({ tools: [], error: 'It has ended.' });
    const at = { type: 'mcp', server_label: 'shelves' };
    for (const tool_choice of [at, { ...at, name: 'add' }, 'required']) {
      const { ask } = apiOver([answering()], { list });
      expect(typesOf(await ask({ tools: [free], tool_choice }))).toEqual(['mcp_list_tools', 'message']);
    }
    const { ask, prompts } = apiOver([answering()], { list });
    await ask({ tools: [free, own], tool_choice: at });
    expect(prompts()[0]).toMatchObject({ toolChoice: 'auto' });
    expect(prompts()[0]).not.toHaveProperty('allowedTools');
    expect(await ask({ tools: [own], tool_choice: at })).toMatchObject({ error: { param: 'tool_choice' } });
  });

  it('goes on from its items in the next request, without listing the tools again', async () => {
    const { ask, prompts } = apiOver([calling(['add', '{"n":1}']), answering('One.'), answering('Two.')]);
    const first = await ask({ tools: [free] });
    const second = await ask({ tools: [free], previous_response_id: first.id, input: 'And now?' });
    expect(typesOf(second)).toEqual(['message']);
    const call = { id: first.output[1].id, type: 'function', function: { name: 'add', arguments: '{"n":1}' } };
    expect(prompts()[2]?.messages).toMatchObject([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', content: 'add {"n":1}', tool_call_id: call.id },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: 'And now?' },
    ]);
    const sent = await ask({ tools: [free], input: [{ role: 'user', content: 'Hello' }, ...first.output] });
    expect(sent.error ?? null).toBeNull();
  });

  it('may force a tool, all of a server, or fewer', async () => {
    const choose = async (tool_choice: object) => {
      const { ask, prompts } = apiOver([answering()]);
      await ask({ tools: [free, own], tool_choice });
      const [prompt] = prompts();
      return [prompt?.toolChoice, prompt?.allowedTools];
    };
    const at = { type: 'mcp', server_label: 'shelves' };
    expect(await choose({ ...at, name: 'drop' })).toEqual([{ name: 'drop' }, undefined]);
    expect(await choose(at)).toEqual(['required', ['add', 'drop']]);
    expect(await choose({ type: 'function', name: 'add' })).toEqual([{ name: 'add' }, undefined]);
    expect(await choose({ type: 'allowed_tools', mode: 'auto', tools: [{ ...at, name: 'add' }, own] })).toEqual([
      'auto',
      ['add', 'mine'],
    ]);
    const { ask } = apiOver([answering()]);
    expect(await ask({ tools: [free], tool_choice: { ...at, name: 'nope' } })).toMatchObject({
      error: { param: 'tool_choice' },
    });
  });

  it('makes as many calls as max_tool_calls allows', async () => {
    const { ask, server } = apiOver([calling(['add', '{}']), calling(['add', '{}']), answering()]);
    const response = await ask({ tools: [free], max_tool_calls: 1 });
    expect(server.calls).toHaveLength(1);
    expect(response.max_tool_calls).toBe(1);
    const { ask: again } = apiOver([answering()]);
    expect(await again({ max_tool_calls: 0 })).toMatchObject({ error: { param: 'max_tool_calls' } });
  });

  it('ends with a call of the client, after its own calls', async () => {
    const { ask, runner } = apiOver([calling(['add', '{}'], ['mine', '{}'])]);
    const response = await ask({ tools: [free, own] });
    expect(typesOf(response)).toEqual(['mcp_list_tools', 'mcp_call', 'function_call']);
    expect(runner.asked).toHaveLength(1);
  });

  it('has an incomplete call where the limit of tokens has cut it', async () => {
    const { ask, server } = apiOver([[toolCall('add'), toolArguments('{"n":'), finish('length'), done()]]);
    const response = await ask({ tools: [free] });
    expect(response).toMatchObject({
      status: 'incomplete',
      output: [{}, { type: 'mcp_call', status: 'incomplete', arguments: '{"n":' }],
    });
    expect(server.calls).toEqual([]);
  });

  it('cancels the call when its client leaves', async () => {
    const left = new AbortController();
    const state = { cancelled: false };
    const { api } = apiOver([calling(['add', '{}'])], {
      call: (_, __, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            state.cancelled = true;
            reject(signal.reason);
          });
          left.abort();
        }),
    });
    await api(respond({ tools: [free] }, { signal: left.signal }));
    expect(state.cancelled).toBe(true);
  });

  it('fails with the code of an error in a later generation, after the events so far', async () => {
    const server = mcpServer('shelves', [mcpTool('add')]);
    const runner = runnerOf(calling(['add', '{}']));
    const generations = [runner.generate, () => failing([], new Error('gone'))];
    const generate: typeof runner.generate = (...given) => (generations.shift() ?? runner.generate)(...given);
    const api = createApi(createContext({ runner: { ...runner, generate }, mcp: everyone(server) }).context);
    const events = readEvents(await readBody(await api(respond({ tools: [free], stream: true }))));
    expect(events.at(-1)).toMatchObject({
      event: 'response.failed',
      data: { response: { error: { code: 'server_error' } } },
    });
  });

  it('counts the tokens of the tools in input_tokens', async () => {
    const { context } = createContext({ mcp: everyone(mcpServer('shelves', [mcpTool('add')])) });
    const asked: unknown[] = [];
    const runner = {
      ...runnerOf(answering()),
      ask: async (_: string, __: string, question: { prompt: ChatPrompt }) => {
        asked.push(question.prompt.tools.map(({ name }) => name));
        return { tokens: 7 };
      },
    };
    const api = createApi({ ...context, runner: runner as never });
    await api({ ...respond({ tools: [free] }), path: '/v1/responses/input_tokens' });
    expect(asked).toEqual([['add']]);
  });
});

describe('an approval', () => {
  const request = (response: { output: { type: string }[] }) =>
    response.output.find(({ type }) => type === 'mcp_approval_request') as unknown as { id: string };

  it('is asked for at the end of a response, and the call is made in the next', async () => {
    const { ask, server, prompts } = apiOver([calling(['add', '{"n":1}']), answering()]);
    const first = await ask({ tools: [asking] });
    expect(typesOf(first)).toEqual(['mcp_list_tools', 'mcp_approval_request']);
    expect(request(first)).toMatchObject({
      id: expect.stringMatching(/^mcpr_/),
      server_label: 'shelves',
      name: 'add',
      arguments: '{"n":1}',
    });
    expect([first.status, server.calls]).toEqual(['completed', []]);

    const approval_request_id = request(first).id;
    const answer = { type: 'mcp_approval_response', approval_request_id, approve: true };
    const second = await ask({ tools: [asking], previous_response_id: first.id, input: [answer] });
    expect(second.output).toMatchObject([
      { type: 'mcp_call', status: 'completed', approval_request_id, arguments: '{"n":1}', output: 'add {"n":1}' },
      { type: 'message' },
    ]);
    expect(server.calls).toEqual([['add', { n: 1 }]]);
    expect(prompts()[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ function: { name: 'add', arguments: '{"n":1}' } }] },
      { role: 'tool', content: 'add {"n":1}' },
    ]);

    await ask({ tools: [asking], previous_response_id: second.id, input: 'Thanks.' });
    expect(server.calls).toHaveLength(1);
    const calls = prompts()[2]?.messages.flatMap(({ tool_calls }) => tool_calls ?? []);
    expect(calls).toHaveLength(1);
  });

  it('streams the request as one added and done item', async () => {
    const { api } = apiOver([calling(['add', '{"n":1}'])]);
    const events = readEvents(await readBody(await api(respond({ tools: [asking], stream: true }))));
    const [added, ended] = events.slice(6).map(({ data }) => data);
    expect(added).toMatchObject({ type: 'response.output_item.added', item: { arguments: '{"n":1}' } });
    expect(ended).toMatchObject({ type: 'response.output_item.done', item: added.item });
  });

  it('that is denied becomes a result, with its reason, and no call', async () => {
    const { ask, server, prompts } = apiOver([calling(['add', '{}']), answering()]);
    const first = await ask({ tools: [asking] });
    const answer = {
      type: 'mcp_approval_response',
      approval_request_id: request(first).id,
      approve: false,
      reason: 'No.',
    };
    const second = await ask({ tools: [asking], previous_response_id: first.id, input: [answer] });
    expect(typesOf(second)).toEqual(['message']);
    expect(server.calls).toEqual([]);
    expect(prompts()[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'The user has not approved this call: No.',
    });
  });

  it('that nobody gives leaves its call out of the prompt', async () => {
    const { ask, prompts } = apiOver([calling(['add', '{}']), answering()]);
    const first = await ask({ tools: [asking] });
    await ask({ tools: [asking], previous_response_id: first.id, input: 'Never mind.' });
    expect(prompts()[1]?.messages.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  it('is a 400 for a request that is not there, and for a tool that is not offered any more', async () => {
    const { ask } = apiOver([calling(['add', '{}'])]);
    const first = await ask({ tools: [asking] });
    const answer = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };
    expect(await ask({ tools: [asking], input: [answer] })).toMatchObject({
      error: { code: 'approval_request_not_found', param: 'input[0].approval_request_id' },
    });
    const known = { ...answer, approval_request_id: request(first).id };
    expect(await ask({ previous_response_id: first.id, input: [known] })).toMatchObject({
      error: { code: 'mcp_tool_not_offered', param: 'input[0]' },
    });
  });
});
