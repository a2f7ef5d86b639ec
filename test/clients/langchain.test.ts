import {
  type AIMessage,
  AIMessageChunk,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, it } from 'vitest';
import { collect } from '../api/fixtures.ts';
import { API_KEY, Book, Shelf, servePaddock } from './paddock.ts';

const baseURL = await servePaddock();
const chat = (model: string, maxTokens: number, useResponsesApi: boolean) =>
  new ChatOpenAI({
    model,
    useResponsesApi,
    apiKey: API_KEY,
    configuration: { baseURL },
    temperature: 0,
    maxTokens,
    modelKwargs: { seed: 1 },
    maxRetries: 0,
  });
const goTo = tool(async ({ shelf }) => `shelf ${shelf} is closed`, { name: 'go_to', description: '', schema: Shelf });

/** LangChain's own type of the field comes out as `never`. */
function usageOf({ usage_metadata }: AIMessage): UsageMetadata | undefined {
  return usage_metadata;
}

/** Adds up a stream's chunks as LangChain's users do. */
async function joined(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  return (await collect(stream)).reduce((sum, chunk) => sum.concat(chunk), new AIMessageChunk(''));
}

describe.each([
  ['chat completions', false, { finish_reason: 'length' }, { finish_reason: 'tool_calls' }],
  ['responses', true, { status: 'incomplete' }, { status: 'completed' }],
])("LangChain's ChatOpenAI by %s", (_, useResponsesApi, cut, called) => {
  const endless = chat('tiny', 12, useResponsesApi);
  const brief = chat('shelf/brief', 200, useResponsesApi);

  it('invokes, and tells the usage', async () => {
    const message = await endless.invoke('hello');
    expect(message.text).not.toBe('');
    expect(message.response_metadata).toMatchObject({ ...cut, model_name: 'tiny' });
    expect(usageOf(message)?.output_tokens).toBe(12);
  });

  it('streams what it gets whole', async () => {
    const whole = await endless.invoke('hello');
    const chunks = await collect(await endless.stream('hello'));
    expect(chunks.filter(({ text }) => text !== '').length).toBeGreaterThan(1);
    expect(chunks.map(({ text }) => text).join('')).toBe(whole.text);
    expect(usageOf(await joined(await endless.stream('hello')))).toMatchObject({
      output_tokens: 12,
      input_tokens: usageOf(whole)?.input_tokens,
    });
  });

  it('answers a batch, each as it answers alone', async () => {
    const questions = ['a', 'b', 'c', 'd', 'e', 'f'];
    const together = await endless.batch(questions);
    for (const [index, question] of questions.entries()) {
      expect(together[index]?.text).toBe((await endless.invoke(question)).text);
    }
  });

  // With responses, this version of LangChain does not send a tool_choice that is a word.
  it.each(useResponsesApi ? ['go_to'] : ['go_to', 'any'])(
    'calls a bound tool with tool_choice %s, streamed and not',
    async (tool_choice) => {
      const model = brief.bindTools([goTo], { tool_choice });
      const whole = await model.invoke('hi');
      expect(whole.response_metadata).toMatchObject(called);
      expect(whole.invalid_tool_calls).toEqual([]);
      expect(whole.tool_calls?.length).toBeGreaterThan(0);
      for (const { name, args, id } of whole.tool_calls ?? []) {
        expect({ name, id }).toEqual({ name: 'go_to', id: expect.stringMatching(/^call_/) });
        expect(Shelf.parse(args)).toEqual(args);
      }
      const streamed = await joined(await model.stream('hi'));
      const said = ({ tool_calls = [] }: typeof whole) => tool_calls.map(({ name, args }) => ({ name, args }));
      expect(said(streamed)).toEqual(said(whole));
    },
  );

  it('takes the result of a tool back and replies to it', async () => {
    const question = new HumanMessage('hi');
    const asked = await brief
      .bindTools([goTo], { tool_choice: 'go_to', parallel_tool_calls: false })
      .invoke([question]);
    const [call] = asked.tool_calls ?? [];
    if (!call) throw new Error('the model has called no tool');
    const result: ToolMessage = await goTo.invoke({ ...call, type: 'tool_call' });
    expect(result).toBeInstanceOf(ToolMessage);
    expect(result.text).toBe(`shelf ${call.args.shelf} is closed`);
    const answer = await brief.invoke([question, asked, result]);
    expect(answer.text).not.toBe('');
    const [longer, shorter] = [usageOf(answer), usageOf(await brief.invoke([question, asked]))];
    expect(longer?.input_tokens).toBeGreaterThan(shorter?.input_tokens ?? Infinity);
  });

  // With responses, this version of LangChain can't stream what it reads from a call.
  it.each(useResponsesApi ? (['jsonSchema'] as const) : (['jsonSchema', 'functionCalling'] as const))(
    'returns structured output by the method %s, streamed and not',
    async (method) => {
      const model = brief.withStructuredOutput(Book, { name: 'book', method });
      const book = await model.invoke('hi');
      expect(Book.parse(book)).toEqual(book);
      expect((await collect(await model.stream('hi'))).at(-1)).toEqual(book);
    },
  );

  it('throws with the status and the message of the server', async () => {
    await expect(chat('none', 12, useResponsesApi).invoke('hi')).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("'none'"),
    });
  });
});
