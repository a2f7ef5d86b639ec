import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { API_KEY, Book, Shelf, servePaddock } from './paddock.ts';

const client = new OpenAI({ baseURL: await servePaddock(), apiKey: API_KEY });
// The model that may end its turn after any call, and does so soon.
const question = {
  model: 'shelf/brief',
  messages: [{ role: 'user' as const, content: 'hi' }],
  temperature: 0,
  seed: 1,
  max_completion_tokens: 200,
};
const goTo = zodFunction({ name: 'go_to', parameters: Shelf });
const close = zodFunction({ name: 'close', parameters: z.strictObject({}) });
const namedTool = { type: 'function' as const, function: { name: 'go_to' } };

/** The tool above with a body of its own, and what it has been called with. */
function runnableGoTo() {
  const seen: z.infer<typeof Shelf>[] = [];
  const tool = zodFunction({
    name: 'go_to',
    parameters: Shelf,
    function: (shelf) => {
      seen.push(shelf);
      return 'closed';
    },
  });
  return { seen, tool };
}

describe('tools through the openai client', () => {
  it('gets a call of the named tool, whose arguments its schema parses', async () => {
    const completion = await client.chat.completions.parse({
      ...question,
      tools: [close, goTo],
      tool_choice: namedTool,
    });
    const [choice] = completion.choices;
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { role: 'assistant', content: null } });
    expect(choice?.message.tool_calls?.[0]).toMatchObject({ id: expect.stringMatching(/^call_/), type: 'function' });
    for (const call of choice?.message.tool_calls ?? []) {
      expect(call.function.name).toBe('go_to');
      expect(Shelf.parse(call.function.parsed_arguments)).toEqual(JSON.parse(call.function.arguments));
    }
  });

  it('gets no call where tool_choice is none', async () => {
    const body = { ...question, max_completion_tokens: 8, tools: [goTo], tool_choice: 'none' as const };
    const { choices } = await client.chat.completions.create(body);
    expect(choices[0]?.message.tool_calls).toBeUndefined();
    expect(choices[0]?.message.content).not.toBe('');
  });

  it('assembles streamed calls, events included, into those it gets whole', async () => {
    const body = { ...question, tools: [goTo], tool_choice: 'required' as const };
    const whole = (await client.chat.completions.create(body)).choices[0]?.message.tool_calls ?? [];
    const deltas: string[] = [];
    const done: { name: string; arguments: string; parsed_arguments: unknown }[] = [];
    const stream = client.chat.completions
      .stream(body)
      .on('tool_calls.function.arguments.delta', ({ arguments_delta }) => deltas.push(arguments_delta))
      .on('tool_calls.function.arguments.done', (event) => done.push(event));
    const { choices } = await stream.finalChatCompletion();
    const calls = choices[0]?.message.tool_calls ?? [];
    const functionOf = (call: (typeof whole)[number]) => call.type === 'function' && call.function;
    expect(calls.map(functionOf)).toMatchObject(whole.map(functionOf));
    expect(calls.length).toBeGreaterThan(0);
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(done).toMatchObject(calls.map((call) => ({ name: 'go_to', arguments: call.function.arguments })));
    expect(done.map(({ parsed_arguments }) => Shelf.safeParse(parsed_arguments).success)).not.toContain(false);
    expect(deltas.join('')).toBe(done.map((event) => event.arguments).join(''));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it('runs the tool that is named, and ends with its result', async () => {
    const { seen, tool } = runnableGoTo();
    const runner = client.chat.completions.runTools({ ...question, tools: [tool], tool_choice: namedTool });
    expect(await runner.finalFunctionToolCallResult()).toBe('closed');
    expect(seen.map((shelf) => Shelf.safeParse(shelf).success)).toContain(true);
    expect(JSON.parse((await runner.finalFunctionToolCall())?.arguments ?? '')).toEqual(seen.at(-1));
    expect((await runner.totalUsage()).completion_tokens).toBeGreaterThan(0);
  });

  it.each([false, true])(
    'runs tools over two turns, the first result being part of the second; streamed: %s',
    async (stream) => {
      const { seen, tool } = runnableGoTo();
      const options = { maxChatCompletions: 2 };
      const body = { ...question, tools: [tool], tool_choice: 'required' as const, parallel_tool_calls: false };
      const runner = stream
        ? client.chat.completions.runTools({ ...body, stream, stream_options: { include_usage: true } }, options)
        : client.chat.completions.runTools(body, options);
      await runner.done();
      expect(runner.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
      expect(seen).toHaveLength(2);
      const [first, second] = runner.allChatCompletions();
      expect(first?.choices[0]?.finish_reason).toBe('tool_calls');
      expect(second?.usage?.prompt_tokens ?? 0).toBeGreaterThan(first?.usage?.prompt_tokens ?? 0);
    },
  );

  it('ends a run at a plain reply', async () => {
    const { seen, tool } = runnableGoTo();
    const runner = client.chat.completions.runTools({ ...question, tools: [tool] });
    expect(await runner.finalContent()).not.toBe('');
    expect(seen).toEqual([]);
  });
});

describe('structured output through the openai client', () => {
  const body = { ...question, response_format: zodResponseFormat(Book, 'book') };

  it('parses a reply of the schema', async () => {
    const { choices } = await client.chat.completions.parse(body);
    expect(choices[0]?.finish_reason).toBe('stop');
    expect(Book.parse(choices[0]?.message.parsed)).toEqual(JSON.parse(choices[0]?.message.content ?? ''));
  });

  it('parses a streamed reply to the same', async () => {
    const whole = await client.chat.completions.parse(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    expect(streamed.choices[0]?.message.parsed).toEqual(whole.choices[0]?.message.parsed);
  });
});
