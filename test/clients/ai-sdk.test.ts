import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateObject,
  generateText,
  hasToolCall,
  type LanguageModel,
  Output,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collect } from '../api/fixtures.ts';
import { API_KEY, Book, Shelf, servePaddock } from './paddock.ts';

const baseURL = await servePaddock();
const compatible = createOpenAICompatible({
  name: 'paddock',
  baseURL,
  apiKey: API_KEY,
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const openai = createOpenAI({ baseURL, apiKey: API_KEY });

const sampling = { temperature: 0, maxOutputTokens: 200 };
const short = { ...sampling, prompt: 'hi', maxOutputTokens: 12 };
const close = tool({ inputSchema: z.strictObject({}), execute: async () => 'closed' });

/** A tool, and what it has been called with. */
function recordingTool() {
  const seen: z.infer<typeof Shelf>[] = [];
  const execute = async (shelf: z.infer<typeof Shelf>) => {
    seen.push(shelf);
    return { open: false };
  };
  return { seen, tools: { goTo: tool({ inputSchema: Shelf, execute }) } };
}

const providers: [name: string, (model: string) => LanguageModel][] = [
  ['@ai-sdk/openai-compatible', (model) => compatible(model)],
  ['@ai-sdk/openai', (model) => openai.chat(model)],
  ["@ai-sdk/openai's default, which is responses", (model) => openai(model)],
];

describe.each(providers)('the AI SDK with %s', (_, modelOf) => {
  const model = modelOf('shelf/brief');
  const endless = modelOf('tiny');

  it('generates text and counts it', async () => {
    const { text, finishReason, usage, response } = await generateText({ ...short, model: endless });
    expect(text).not.toBe('');
    expect(finishReason).toBe('length');
    expect(usage.outputTokens).toBe(12);
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(response.modelId).toBe('tiny');
  });

  it('streams the text that it generates whole', async () => {
    const whole = await generateText({ ...short, model: endless });
    const stream = streamText({ ...short, model: endless });
    const parts = await collect(stream.textStream);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe(whole.text);
    expect(await stream.finishReason).toBe('length');
    expect(await stream.totalUsage).toMatchObject({ outputTokens: 12, inputTokens: whole.usage.inputTokens });
  });

  it('calls the tool that is named with valid input', async () => {
    const { toolCalls, finishReason, text } = await generateText({
      ...sampling,
      model,
      prompt: 'hi',
      tools: { ...recordingTool().tools, close },
      toolChoice: { type: 'tool', toolName: 'goTo' },
    });
    expect(finishReason).toBe('tool-calls');
    expect(text.trim()).toBe('');
    expect(toolCalls.length).toBeGreaterThan(0);
    for (const call of toolCalls) {
      expect(call).toMatchObject({ toolName: 'goTo', toolCallId: expect.stringMatching(/^call_/) });
      expect(call).not.toHaveProperty('invalid', true);
      expect(Shelf.parse(call.input)).toEqual(call.input);
    }
  });

  it('runs a tool, gives its result back, and ends with a plain reply', async () => {
    const { seen, tools } = recordingTool();
    const { steps, text } = await generateText({
      ...sampling,
      model,
      prompt: 'hi',
      tools,
      stopWhen: stepCountIs(2),
      prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? 'required' : 'none' }),
    });
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(seen).toEqual(steps[0]?.toolCalls.map(({ input }) => input));
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual(seen.map(() => ({ open: false })));
    expect(text).toBe(steps[1]?.text);
    expect(text).not.toBe('');
  });

  it('streams tool calls whose input, put together, is what it gets whole', async () => {
    const { seen, tools } = recordingTool();
    const body = { ...sampling, model, prompt: 'hi', tools, toolChoice: 'required' as const };
    const whole = await generateText(body);
    const wholeInputs = seen.splice(0);
    const parts = await collect(streamText({ ...body, stopWhen: hasToolCall('goTo') }).fullStream);
    const calls = parts.filter((part) => part.type === 'tool-call');
    expect(whole.toolCalls.map(({ input }) => input)).toEqual(wholeInputs);
    expect(calls.map(({ input }) => input)).toEqual(wholeInputs);
    expect(seen).toEqual(wholeInputs);
    for (const { toolCallId, input } of calls) {
      const written = parts.map((part) =>
        part.type === 'tool-input-delta' && part.id === toolCallId ? part.delta : '',
      );
      expect(JSON.parse(written.join(''))).toEqual(input);
    }
    expect(parts.filter((part) => part.type === 'error')).toEqual([]);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' });
  });

  it('generates an object of the schema, by either of its functions', async () => {
    const body = { ...sampling, model, prompt: 'hi' };
    const { object, finishReason } = await generateObject({ ...body, schema: Book });
    expect(finishReason).toBe('stop');
    expect(Book.parse(object)).toEqual(object);
    const { output } = await generateText({ ...body, output: Output.object({ schema: Book }) });
    expect(output).toEqual(object);
  });

  it('streams an object that grows into the same', async () => {
    const body = { ...sampling, model, prompt: 'hi', schema: Book };
    const { object } = await generateObject(body);
    const stream = streamObject(body);
    const partials = await collect(stream.partialObjectStream);
    expect(partials.length).toBeGreaterThan(1);
    expect(partials.at(-1)).toEqual(object);
    expect(await stream.object).toEqual(object);
  });

  it('chooses among the values of an enum', async () => {
    const output = Output.choice({ options: ['novel', 'play'] });
    expect(['novel', 'play']).toContain((await generateText({ ...sampling, model, prompt: 'hi', output })).output);
  });

  it('throws an APICallError with the status and the message of the server', async () => {
    const call = generateText({ ...short, model: modelOf('none'), maxRetries: 0 });
    await expect(call).rejects.toSatisfy(APICallError.isInstance);
    await expect(call).rejects.toMatchObject({ statusCode: 404, message: expect.stringContaining("'none'") });
  });
});
