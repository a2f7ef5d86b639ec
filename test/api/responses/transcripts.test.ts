import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import { overloaded } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import {
  createContext,
  createFakeRunner,
  done,
  failing,
  finish,
  ORDINARY,
  progress,
  readBody,
  reasoning,
  streamOf,
  text,
  tokenLogprob,
  toolArguments,
  toolCall,
} from '../fixtures.ts';
import { type ReadEvent, readEvents, respond } from './fixtures.ts';

async function streamed(
  events: () => AsyncIterable<GenerationEvent>,
  body: Record<string, unknown> = {},
): Promise<ReadEvent[]> {
  const { context } = createContext({ runner: createFakeRunner(events) });
  const reply = await createApi(context)(respond({ stream: true, ...body }));
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
  return readEvents(await readBody(reply));
}

/** A line for each event: its type, and what it says besides ids and whole objects. */
function transcriptOf(events: ReadEvent[]): string[] {
  return events.map(
    ({ event, data: { type: _, sequence_number: __, response, item, item_id: ___, part, ...rest } }) => {
      const { logprobs: ____, ...said } = rest;
      const object = response ? { status: response.status, output: response.output.length } : {};
      const of = item ? { item: item.type, status: item.status } : part ? { part: part.type } : {};
      return `${event} ${JSON.stringify({ ...said, ...object, ...of })}`;
    },
  );
}

const BEGIN = [
  'response.created {"status":"in_progress","output":0}',
  'response.in_progress {"status":"in_progress","output":0}',
];

const message = (index: number, ...deltas: string[]) => [
  `response.output_item.added {"output_index":${index},"item":"message","status":"in_progress"}`,
  `response.content_part.added {"output_index":${index},"content_index":0,"part":"output_text"}`,
  ...deltas.map(
    (delta) =>
      `response.output_text.delta {"output_index":${index},"content_index":0,"delta":${JSON.stringify(delta)}}`,
  ),
];
const messageEnd = (index: number, whole: string, status = 'completed') => [
  `response.output_text.done {"output_index":${index},"content_index":0,"text":${JSON.stringify(whole)}}`,
  `response.content_part.done {"output_index":${index},"content_index":0,"part":"output_text"}`,
  `response.output_item.done {"output_index":${index},"item":"message","status":"${status}"}`,
];
const call = (index: number, name: string, ...deltas: string[]) => [
  `response.output_item.added {"output_index":${index},"item":"function_call","status":"in_progress"}`,
  ...deltas.map(
    (delta) => `response.function_call_arguments.delta {"output_index":${index},"delta":${JSON.stringify(delta)}}`,
  ),
  `response.function_call_arguments.done ${JSON.stringify({ output_index: index, name, arguments: deltas.join('') })}`,
  `response.output_item.done {"output_index":${index},"item":"function_call","status":"completed"}`,
];
const thoughts = (index: number, ...deltas: string[]) => [
  `response.output_item.added {"output_index":${index},"item":"reasoning","status":"in_progress"}`,
  `response.reasoning_summary_part.added {"output_index":${index},"summary_index":0,"part":"summary_text"}`,
  `response.content_part.added {"output_index":${index},"content_index":0,"part":"reasoning_text"}`,
  ...deltas.flatMap((delta) => [
    `response.reasoning_summary_text.delta {"output_index":${index},"summary_index":0,"delta":${JSON.stringify(delta)}}`,
    `response.reasoning_text.delta {"output_index":${index},"content_index":0,"delta":${JSON.stringify(delta)}}`,
  ]),
  `response.reasoning_summary_text.done ${JSON.stringify({ output_index: index, summary_index: 0, text: deltas.join('') })}`,
  `response.reasoning_summary_part.done {"output_index":${index},"summary_index":0,"part":"summary_text"}`,
  `response.reasoning_text.done ${JSON.stringify({ output_index: index, content_index: 0, text: deltas.join('') })}`,
  `response.content_part.done {"output_index":${index},"content_index":0,"part":"reasoning_text"}`,
  `response.output_item.done {"output_index":${index},"item":"reasoning","status":"completed"}`,
];
const end = (type: string, output: number) => `response.${type} {"status":"${type}","output":${output}}`;

describe('the events of a response, in order:', () => {
  it.each<[name: string, said: GenerationEvent[], transcript: string[]]>([
    ['a text', ORDINARY, [...BEGIN, ...message(0, 'Hel', 'lo'), ...messageEnd(0, 'Hello'), end('completed', 1)]],
    [
      'a tool call',
      [toolCall('add'), toolArguments('{"a":'), toolArguments('1}'), finish('tool_calls'), done()],
      [...BEGIN, ...call(0, 'add', '{"a":', '1}'), end('completed', 1)],
    ],
    [
      'a text and two tool calls; the white space between them is no text',
      [
        text('Let me see.'),
        toolCall('add'),
        toolArguments('{}'),
        text('\n'),
        toolCall('now', 1),
        toolArguments('{}', 1),
        text('\n'),
        finish('tool_calls'),
        done(),
      ],
      [
        ...BEGIN,
        ...message(0, 'Let me see.'),
        ...messageEnd(0, 'Let me see.'),
        ...call(1, 'add', '{}'),
        ...call(2, 'now', '{}'),
        end('completed', 3),
      ],
    ],
    [
      'reasoning and a text',
      [reasoning('\n'), reasoning('Hm'), reasoning('.'), text('\n\n'), text('Yes.'), finish(), done()],
      [
        ...BEGIN,
        ...thoughts(0, '\nHm', '.'),
        ...message(1, '\n\nYes.'),
        ...messageEnd(1, '\n\nYes.'),
        end('completed', 2),
      ],
    ],
    [
      'reasoning and a tool call',
      [reasoning('Hm.'), toolCall('add'), toolArguments('{}'), finish('tool_calls'), done()],
      [...BEGIN, ...thoughts(0, 'Hm.'), ...call(1, 'add', '{}'), end('completed', 2)],
    ],
    [
      'a text that is cut by max_output_tokens',
      [text('Hel'), finish('length'), done()],
      [...BEGIN, ...message(0, 'Hel'), ...messageEnd(0, 'Hel', 'incomplete'), end('incomplete', 1)],
    ],
    [
      'an empty reply, which has a message all the same',
      [text(' '), finish(), done()],
      [...BEGIN, ...message(0), ...messageEnd(0, ''), end('completed', 1)],
    ],
  ])('%s', async (_, said, transcript) => {
    const events = await streamed(() => streamOf([progress(12, 12, 4), ...said]));
    expect(transcriptOf(events)).toEqual(transcript);
  });

  it('a structured output, which is a text', async () => {
    const format = { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true };
    const said = [text('{"a":'), text('1}'), finish(), done()];
    const events = await streamed(() => streamOf(said), { text: { format } });
    expect(transcriptOf(events)).toEqual([
      ...BEGIN,
      ...message(0, '{"a":', '1}'),
      ...messageEnd(0, '{"a":1}'),
      end('completed', 1),
    ]);
    expect(events.at(-1)?.data.response.text).toEqual({ format });
  });

  it('a failure midway, with the error and what was written so far', async () => {
    const events = await streamed(() => failing([text('Hel')], overloaded('full', 5)));
    expect(transcriptOf(events)).toEqual([...BEGIN, ...message(0, 'Hel'), end('failed', 1)]);
    const { response } = events.at(-1)?.data ?? {};
    expect(response.error).toEqual({ code: 'overloaded', message: 'full' });
    expect(response.output[0]).toMatchObject({ status: 'in_progress', content: [{ text: 'Hel' }] });
  });

  it('a text that the filter cuts', async () => {
    const events = await streamed(() => streamOf([text('Hel'), finish('content_filter'), done()]));
    expect(events.at(-1)?.data.response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
    });
  });
});

describe('each event of a response', () => {
  const everything: GenerationEvent[] = [
    progress(12, 12, 4),
    reasoning('Hm.'),
    { ...text('Yes.'), logprobs: [tokenLogprob('Yes.', 'No.')] },
    toolCall('add'),
    toolArguments('{}'),
    finish('tool_calls'),
    done({ reasoningTokens: 2 }),
  ];

  it('bears its type in its name and the next number', async () => {
    const events = await streamed(() => streamOf(everything));
    expect(events.map(({ data }) => data.type)).toEqual(events.map(({ event }) => event));
    expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, index) => index));
  });

  it('names its item by the id that the item begins and ends with', async () => {
    const events = await streamed(() => streamOf(everything));
    const final = events.at(-1)?.data.response.output;
    for (const { data } of events) {
      if (data.output_index === undefined) continue;
      expect(data.item?.id ?? data.item_id).toBe(final[data.output_index].id);
    }
    expect(final.map(({ id }: { id: string }) => id.replace(/_\w+/, ''))).toEqual(['rs', 'msg', 'fc']);
    expect(final[2].call_id).toMatch(/^call_\w+$/);
    expect(events.find(({ data }) => data.item?.type === 'function_call')?.data.item.call_id).toBe(final[2].call_id);
  });

  it('ends an item as the whole response has it', async () => {
    const events = await streamed(() => streamOf(everything));
    const items = events.filter(({ event }) => event === 'response.output_item.done').map(({ data }) => data.item);
    expect(items).toEqual(events.at(-1)?.data.response.output);
  });

  it('has the log probabilities where they are asked for, and else an empty list', async () => {
    const body = { include: ['message.output_text.logprobs'], top_logprobs: 1 };
    const events = await streamed(() => streamOf(everything), body);
    const logprobs = [
      expect.objectContaining({ token: 'Yes.', top_logprobs: [expect.objectContaining({ token: 'No.' })] }),
    ];
    const told = events
      .filter(({ event }) => event.startsWith('response.output_text.'))
      .map(({ data }) => data.logprobs);
    expect(told).toEqual([logprobs, logprobs]);
    const without = await streamed(() => streamOf(ORDINARY));
    const none = without
      .filter(({ event }) => event.startsWith('response.output_text.'))
      .map(({ data }) => data.logprobs);
    expect(none).toEqual([[], [], []]);
  });

  it('counts all five kinds of tokens at the end, and times them', async () => {
    const { response } = (await streamed(() => streamOf(everything))).at(-1)?.data ?? {};
    expect(response.usage).toEqual({
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 15,
    });
    expect(response.timings).toMatchObject({ prompt_n: 8, predicted_n: 3 });
  });

  it('is for clients, and a pause is only a comment between two', async () => {
    const said: GenerationEvent[] = [
      text('Hel'),
      { kind: 'pause', reason: 'the engine died' },
      text('lo'),
      finish(),
      done(),
    ];
    const { context } = createContext({ runner: createFakeRunner(() => streamOf(said)) });
    const body = await readBody(await createApi(context)(respond({ stream: true })));
    expect(body).toContain(': the engine died\n\n');
    expect(body).not.toContain('[DONE]');
  });
});
