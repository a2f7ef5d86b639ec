import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { BadRequestError } from 'openai';
import type { ResponseOutputItem, Tool } from 'openai/resources/responses/responses';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { startMcpServer } from '../kit/servers/mcp-server.ts';
import { API_KEY, startPaddock } from './paddock.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
const notes = () => readFileSync(join(folder, 'notes'), 'utf8').trim().split('\n');

const weather = await startMcpServer({ key: 'Bearer w3ather' });
afterAll(() => weather.stop());
const stdio = { command: process.execPath, args: ['test/kit/servers/mcp-stdio.mjs', join(folder, 'notes')] };
const mcpServers = {
  shelves: { ...stdio, tools: ['shelf', 'wait', 'die'] },
  weather: { url: weather.url, headers: { authorization: `Bearer $${'{WEATHER_KEY}'}` }, tools: ['*'] },
  private: { ...stdio, tools: ['*'], keys: ['somebody-else'] },
};
writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
const paddock = await startPaddock(['--mcp', join(folder, 'mcp.json')], { WEATHER_KEY: 'w3ather' });
const client = new OpenAI({ baseURL: `${paddock.url}/v1`, apiKey: API_KEY, maxRetries: 0 });
const { responses, chat } = client;

const shelves: Tool.Mcp = { type: 'mcp', server_label: 'shelves', require_approval: 'never' };
const question = { model: 'pico', input: 'What is on shelf 3?', max_output_tokens: 200 };
const forced = (server_label: string, name: string) => ({ type: 'mcp' as const, server_label, name });

function itemOf<Type extends ResponseOutputItem['type']>(output: ResponseOutputItem[], type: Type) {
  const item = output.find((each): each is Extract<ResponseOutputItem, { type: Type }> => each.type === type);
  if (!item) throw new Error(`no ${type} among ${output.map((each) => each.type)}`);
  return item;
}

describe('the tools of MCP servers for the openai client', () => {
  it('are called over stdio, and the model answers with the result', async () => {
    const response = await responses.create({ ...question, tools: [shelves], tool_choice: forced('shelves', 'shelf') });
    const list = itemOf(response.output, 'mcp_list_tools');
    expect(list.tools.map(({ name }) => name)).toEqual(['shelf', 'wait', 'die']);
    const call = itemOf(response.output, 'mcp_call');
    const { shelf } = JSON.parse(call.arguments);
    expect(call).toMatchObject({ status: 'completed', name: 'shelf', output: `Shelf ${shelf} has 3 books.` });
    expect(response.output_text).not.toBe('');
    expect(notes()).toContain(`shelf ${shelf}`);
  });

  it('are called over HTTP with the configured key, streamed, and each event has the number after the last', async () => {
    const stream = responses.stream({
      ...question,
      input: 'How is the weather in Oslo?',
      tools: [{ ...shelves, server_label: 'weather', allowed_tools: ['get_weather'] }],
      tool_choice: forced('weather', 'get_weather'),
    });
    const types: string[] = [];
    for await (const { sequence_number, type } of stream) {
      expect(sequence_number).toBe(types.length);
      types.push(type);
    }
    for (const type of [
      'mcp_list_tools.completed',
      'mcp_call.in_progress',
      'mcp_call_arguments.done',
      'mcp_call.completed',
    ])
      expect(types).toContain(`response.${type}`);
    const { output } = await stream.finalResponse();
    const { city } = JSON.parse(itemOf(output, 'mcp_call').arguments);
    expect(weather.calls).toContainEqual(['get_weather', { city }]);
  });

  it('wait for an approval that the client gives in its next request', async () => {
    const tools: Tool[] = [{ ...shelves, require_approval: 'always' }];
    const asked = await responses.create({ ...question, tools, tool_choice: forced('shelves', 'shelf') });
    const { id, arguments: json } = itemOf(asked.output, 'mcp_approval_request');
    const before = notes().length;
    const answered = await responses.create({
      ...question,
      tools,
      previous_response_id: asked.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }],
    });
    const call = itemOf(answered.output, 'mcp_call');
    expect(call).toMatchObject({ approval_request_id: id, arguments: json, status: 'completed' });
    expect(notes()).toHaveLength(before + 1);
  });

  it('leave a failed call and an answer when their server dies, and work in the next request', async () => {
    const died = await responses.create({ ...question, tools: [shelves], tool_choice: forced('shelves', 'die') });
    expect(itemOf(died.output, 'mcp_call')).toMatchObject({ status: 'failed', error: 'The MCP server has ended.' });
    expect(died.status).toBe('completed');
    const next = await responses.create({ ...question, tools: [shelves], tool_choice: forced('shelves', 'shelf') });
    expect(itemOf(next.output, 'mcp_call').status).toBe('completed');
  });

  it('are cancelled when the client leaves', async () => {
    const stream = await responses.create({
      ...question,
      stream: true,
      tools: [shelves],
      tool_choice: forced('shelves', 'wait'),
    });
    for await (const event of stream) if (event.type === 'response.mcp_call_arguments.done') break;
    await eventually(() => expect(notes().at(-1)).toBe('cancelled'));
  });

  it('are called in a chat completion, which is the final answer', async () => {
    const body = {
      model: 'pico',
      messages: [{ role: 'user' as const, content: 'What is on shelf 5?' }],
      // OpenAI's own chats have no such tools.
      tools: [shelves as never],
      tool_choice: { type: 'function' as const, function: { name: 'shelf' } },
      max_completion_tokens: 200,
    };
    const [choice] = (await chat.completions.create(body)).choices;
    expect(choice?.finish_reason).toBe('stop');
    expect(choice?.message.content).not.toBe('');
    expect(choice?.message).toMatchObject({
      executed_tools: [{ type: 'mcp', server_label: 'shelves', name: 'shelf' }],
    });
  });

  it('are refused with a server_url, for an unknown server, and for one of another key', async () => {
    const ask = (tool: Partial<Tool.Mcp>) => responses.create({ ...question, tools: [{ ...shelves, ...tool }] });
    const evil = ask({ server_url: 'https://evil.example/mcp' });
    await expect(evil).rejects.toBeInstanceOf(BadRequestError);
    await expect(evil).rejects.toMatchObject({ code: 'mcp_server_url_not_allowed', param: 'tools[0].server_url' });
    await expect(ask({ server_label: 'nope' })).rejects.toMatchObject({ code: 'unknown_mcp_server' });
    await expect(ask({ server_label: 'private' })).rejects.toMatchObject({ code: 'unknown_mcp_server' });
  });

  it('leave a line for each call in the log, with neither arguments nor results', async () => {
    const response = await responses.create({ ...question, tools: [shelves], tool_choice: forced('shelves', 'shelf') });
    const { output } = itemOf(response.output, 'mcp_call');
    const line =
      paddock
        .log()
        .split('\n')
        .findLast((each) => each.includes('called a tool of an MCP server')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      requestId: expect.any(String),
      server: 'shelves',
      tool: 'shelf',
      ms: expect.any(Number),
      bytes: output?.length,
      failed: false,
    });
    expect(paddock.log()).not.toContain('books');
    expect(paddock.log()).not.toContain('w3ather');
  });
});
