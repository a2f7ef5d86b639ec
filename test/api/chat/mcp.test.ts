import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { McpServer } from '../../../src/contract/mcp.ts';
import { chat, chunksOf, contentOf, createContext, done, finish, readBody, readJson, text } from '../fixtures.ts';
import { answering, calling, everyone, mcpServer, mcpTool, runnerOf } from '../mcp/fixtures.ts';

const free = { type: 'mcp', server_label: 'shelves', require_approval: 'never' };
const own = { type: 'function', function: { name: 'mine', parameters: { type: 'object' } } };
const made = {
  index: 0,
  type: 'mcp',
  server_label: 'shelves',
  name: 'add',
  arguments: '{"n":1}',
  output: 'add {"n":1}',
  error: null,
};

function apiOver(generations: GenerationEvent[][], overrides: Partial<McpServer> = {}) {
  const server = mcpServer('shelves', [mcpTool('add')], overrides);
  const runner = runnerOf(...generations);
  const api = createApi(createContext({ runner, mcp: everyone(server) }).context);
  const ask = async (body: object) => readJson(await api(chat({ ...body })));
  const stream = async (body: object) => chunksOf(await readBody(await api(chat({ ...body, stream: true }))));
  return { ask, stream, server, runner };
}

describe('a chat completion with the tools of an MCP server', () => {
  it('has the final answer, and tells the calls beside it', async () => {
    const { ask, server } = apiOver([calling(['add', '{"n":1}']), answering()]);
    expect(await ask({ tools: [free] })).toMatchObject({
      choices: [
        {
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'So be it.', executed_tools: [made] },
        },
      ],
      usage: { prompt_tokens: 24, completion_tokens: 6 },
    });
    expect(server.calls).toEqual([['add', { n: 1 }]]);
  });

  it('streams the calls between the texts', async () => {
    const { stream } = apiOver([calling(['add', '{"n":1}']), answering()]);
    const chunks = await stream({ tools: [free], stream_options: { include_usage: true } });
    const [first, executed, ...rest] = chunks;
    expect(first?.choices[0]?.delta.role).toBe('assistant');
    expect(executed?.choices[0]?.delta).toEqual({ executed_tools: [made] });
    expect(contentOf(rest)).toBe('So be it.');
    expect(rest.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []))).toEqual([
      'stop',
    ]);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 24 });
  });

  it('keeps the texts before and after a call apart, whole and streamed alike', async () => {
    const generations = () => [
      [text('Let me see.'), ...calling(['add', '{}'])],
      [text('One.'), text(' Yes.'), finish(), done()],
    ];
    const content = 'Let me see.\n\nOne. Yes.';
    expect((await apiOver(generations()).ask({ tools: [free] })).choices[0].message.content).toBe(content);
    expect(contentOf(await apiOver(generations()).stream({ tools: [free] }))).toBe(content);
  });

  it('tells a call that has failed', async () => {
    const { ask } = apiOver([calling(['add', '{}']), answering()], {
      call: async () => ({ text: 'No.', failed: true }),
    });
    const [choice] = (await ask({ tools: [free] })).choices;
    expect(choice.message.executed_tools).toMatchObject([{ name: 'add', output: null, error: 'No.' }]);
  });

  it('tells a server that can not list its tools, and answers without them', async () => {
    const error = 'The MCP server can not be reached.';
    const told = { index: 0, type: 'mcp_list_tools', server_label: 'shelves', error };
    const list = async () => ({ tools: [], error });
    const [choice] = (await apiOver([answering()], { list }).ask({ tools: [free] })).choices;
    expect(choice.message).toMatchObject({ content: 'So be it.', executed_tools: [told] });
    const [first, second] = await apiOver([answering()], { list }).stream({ tools: [free] });
    expect(first).toMatchObject({ choices: [{ delta: { role: 'assistant' } }], prompt_progress: { processed: 12 } });
    expect(second?.choices[0]?.delta).toEqual({ executed_tools: [told] });
  });

  it('ends with the calls of the client alone, after its own', async () => {
    const { ask } = apiOver([calling(['add', '{"n":1}'], ['mine', '{"a":1}'])]);
    expect((await ask({ tools: [own, free] })).choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, executed_tools: [made], tool_calls: [{ function: { name: 'mine' } }] },
    });
  });

  it('is forced to call a tool by its name', async () => {
    const { ask, runner } = apiOver([calling(['add', '{}']), answering()]);
    await ask({ tools: [free], tool_choice: { type: 'function', function: { name: 'add' } } });
    expect(runner.asked.map(({ request }) => (request.prompt as { toolChoice: unknown }).toolChoice)).toEqual([
      { name: 'add' },
      'auto',
    ]);
  });

  it.each<[string, object, object]>([
    ['several choices', { n: 2 }, { param: 'n' }],
    [
      'a message to go on with',
      { continue_final_message: true, messages: [{ role: 'assistant', content: 'So' }] },
      { param: 'continue_final_message' },
    ],
    [
      'approvals, as is the default',
      { tools: [{ type: 'mcp', server_label: 'shelves' }] },
      { param: 'tools[0].require_approval', code: 'unsupported_parameter' },
    ],
    ['an address', { tools: [{ ...free, server_url: 'https://a.example' }] }, { code: 'mcp_server_url_not_allowed' }],
    ['no label', { tools: [{ type: 'mcp' }] }, { param: 'tools[0].server_label' }],
    ['a wrong filter', { tools: [{ ...free, allowed_tools: 5 }] }, { param: 'tools[0].allowed_tools' }],
  ])('is a 400 that names the field with %s', async (_, body, error) => {
    expect(await apiOver([answering()]).ask({ tools: [free], ...body })).toMatchObject({ error });
  });
});
