import type { ChatResponse, GenerateResponse, Message } from 'ollama';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import type { RequestContext } from '../../../src/api/context.ts';
import { overloaded } from '../../../src/contract/errors.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { ModelCard } from '../../../src/contract/models/model.ts';
import type { Residency } from '../../../src/contract/residency.ts';
import {
  createContext,
  createFakeRunner,
  done,
  failing,
  finish,
  modelCard,
  ORDINARY,
  post,
  progress,
  readJson,
  reasoning,
  streamOf,
  text,
  tokenLogprob,
  toolArguments,
  toolCall,
} from '../fixtures.ts';
import { NS, readLines, type Sent, withoutTimes } from './fixtures.ts';

/** Notes which models it is told to unload; every model is loaded. */
function residencyOf(unloaded: string[]): Residency {
  return { load: async () => {}, unload: () => false, keep: (id, ms) => void (ms === 0 && unloaded.push(id)) };
}

const CALLING: GenerationEvent[] = [
  progress(12, 12, 4),
  reasoning('Hm'),
  reasoning('.'),
  text('Let me see.'),
  toolCall('add'),
  toolArguments('{"a": '),
  toolArguments('1}'),
  toolCall('end', 1),
  toolArguments('{}', 1),
  finish('tool_calls'),
  done(),
];

const hello = { model: 'tiny', messages: [{ role: 'user', content: 'Hello' }] };
const FIGURES = {
  total_duration: NS,
  load_duration: NS,
  prompt_eval_count: 12,
  prompt_eval_duration: 20_000_000,
  eval_count: 3,
  eval_duration: 30_000_000,
};

function apiOver(
  generate: () => AsyncIterable<GenerationEvent> = () => streamOf(ORDINARY),
  overrides: Partial<RequestContext> & { cards?: ModelCard[] } = {},
) {
  const runner = createFakeRunner(generate);
  const { context, noted, errors } = createContext({ runner, ...overrides });
  return { api: createApi(context), runner, noted, errors };
}

describe('POST /api/chat', () => {
  it('streams lines of JSON unless stream is false, the last with the counts', async () => {
    for (const stream of [undefined, null, true]) {
      const reply = await apiOver().api(post('/api/chat', { ...hello, stream }));
      expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-ndjson' } });
      const last: Sent<ChatResponse> = {
        model: 'tiny',
        created_at: 'TIME',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        ...FIGURES,
      };
      const line = (content: string): Partial<Sent<ChatResponse>> => ({
        model: 'tiny',
        created_at: 'TIME',
        message: { role: 'assistant', content },
        done: false,
      });
      expect(withoutTimes(await readLines(reply))).toEqual([line('Hel'), line('lo'), last]);
    }
  });

  it('answers whole with stream false', async () => {
    const reply = await apiOver().api(post('/api/chat', { ...hello, stream: false }));
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    const whole: Sent<ChatResponse> = {
      model: 'tiny',
      created_at: 'TIME',
      message: { role: 'assistant', content: 'Hello' },
      done: true,
      done_reason: 'stop',
      ...FIGURES,
    };
    expect(withoutTimes(await readJson(reply))).toEqual(whole);
  });

  it('tells reasoning as thinking and each call in one line once it is whole, with an object of arguments', async () => {
    const lines = withoutTimes(await readLines(await apiOver(() => streamOf(CALLING)).api(post('/api/chat', hello))));
    expect(lines.map(({ message }) => message)).toEqual([
      { role: 'assistant', content: '', thinking: 'Hm' },
      { role: 'assistant', content: '', thinking: '.' },
      { role: 'assistant', content: 'Let me see.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'CALL', function: { index: 0, name: 'add', arguments: { a: 1 } } }],
      },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'CALL', function: { index: 1, name: 'end', arguments: {} } }],
      },
      { role: 'assistant', content: '' },
    ]);
    expect(lines.map((line) => line.done)).toEqual([false, false, false, false, false, true]);
    expect(lines.at(-1).done_reason).toBe('stop');
  });

  it('tells the same whole', async () => {
    const { api } = apiOver(() => streamOf(CALLING));
    const { message } = withoutTimes(await readJson(await api(post('/api/chat', { ...hello, stream: false }))));
    const calls = [
      { id: 'CALL', function: { index: 0, name: 'add', arguments: { a: 1 } } },
      { id: 'CALL', function: { index: 1, name: 'end', arguments: {} } },
    ];
    const expected: Message = { role: 'assistant', content: 'Let me see.', thinking: 'Hm.', tool_calls: calls };
    expect(message).toEqual(expected);
  });

  it('makes content of a call whose arguments were cut: it is none', async () => {
    const cut = [progress(1, 1), toolCall('add'), toolArguments('{"a": '), finish('length'), done()];
    const { api } = apiOver(() => streamOf(cut));
    const [line, last] = await readLines(await api(post('/api/chat', hello)));
    expect(line.message).toEqual({ role: 'assistant', content: 'add {"a": ' });
    expect(last.done_reason).toBe('length');
    const whole = await readJson(await api(post('/api/chat', { ...hello, stream: false })));
    expect(whole.message).toEqual({ role: 'assistant', content: 'add {"a": ' });
  });

  it('tells logprobs with the pieces they belong to', async () => {
    const piece = { ...text('Yes'), logprobs: [tokenLogprob('Yes', 'No')] };
    const { api, runner } = apiOver(() => streamOf([progress(1, 1), piece, finish(), done()]));
    const [line] = await readLines(await api(post('/api/chat', { ...hello, logprobs: true, top_logprobs: 1 })));
    const expected: NonNullable<ChatResponse['logprobs']> = [
      { token: 'Yes', logprob: -0.5, top_logprobs: [{ token: 'No', logprob: -0.5 }] },
    ];
    expect(line.logprobs).toMatchObject(expected);
    expect(runner.asked).toMatchObject([{ request: { logprobs: 1 } }]);
  });

  it('keeps a quiet connection alive with lines that have no text', async () => {
    async function* slow() {
      yield progress(0, 12);
      await new Promise((resolve) => setTimeout(resolve, 60));
      yield* ORDINARY;
    }
    const { api } = apiOver(slow, { pingIntervalMs: 20 });
    const [ping] = withoutTimes(await readLines(await api(post('/api/chat', hello))));
    expect(ping).toEqual({
      model: 'tiny',
      created_at: 'TIME',
      message: { role: 'assistant', content: '' },
      done: false,
    });
  });

  it('answers to names with and without :latest, in model and in name, and tells the name that it was asked for', async () => {
    for (const name of ['tiny', 'tiny:latest']) {
      for (const field of ['model', 'name']) {
        const { api, runner } = apiOver();
        const reply = await api(post('/api/chat', { messages: hello.messages, [field]: name, stream: false }));
        expect((await readJson(reply)).model).toBe(name);
        expect(runner.asked).toMatchObject([{ modelId: 'tiny' }]);
      }
    }
  });

  it('reads a body as JSON whatever its content type says', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await apiOver().api(post('/api/chat', hello, { headers }))).status).toBe(200);
  });

  it.each<[what: string, body: object, status: number, error: string]>([
    ['no model', { messages: hello.messages }, 400, 'model is required.'],
    ['an unknown model', { ...hello, model: 'llama3' }, 404, "model 'llama3' not found"],
    ['a wrong role', { ...hello, messages: [{ role: 'me', content: '' }] }, 400, 'messages[0].role must be one of'],
    [
      'a wrong option',
      { ...hello, options: { temperature: 9 } },
      400,
      'options.temperature must be a number between 0',
    ],
    ['a model that can not think', { ...hello, think: true }, 400, "The model 'tiny' does not support thinking."],
    ['a prompt that shall be shortened', { ...hello, truncate: true }, 400, 'truncate must be false'],
    ['logprobs of nothing', { ...hello, top_logprobs: 2 }, 400, 'top_logprobs needs logprobs'],
  ])('answers %s before it asks the runner', async (_, body, status, error) => {
    const { api, runner } = apiOver();
    const reply = await api(post('/api/chat', body));
    expect(reply.status).toBe(status);
    expect(await readJson(reply)).toEqual({ error: expect.stringContaining(error) });
    expect(runner.asked).toEqual([]);
  });

  it('refuses a prompt that does not fit before the stream begins, and names the flag that num_ctx can not replace', async () => {
    const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 900, contextLength: 512 };
    for (const stream of [true, false]) {
      const reply = await apiOver(() => streamOf([overflow])).api(post('/api/chat', { ...hello, stream }));
      expect(reply.status).toBe(400);
      expect((await readJson(reply)).error).toBe(
        "The prompt exceeds the context window: this model's maximum context length is 512 tokens, the prompt has 900. " +
          'options.num_ctx does not widen it: on a server, --ctx-len does.',
      );
    }
  });

  it('tells an error midway in a line, and no line that is done', async () => {
    const { api } = apiOver(() => failing(ORDINARY.slice(0, 3), overloaded('The server is gone.', 1)));
    const lines = await readLines(await api(post('/api/chat', hello)));
    expect(lines.at(-1)).toEqual({ error: 'The server is gone.' });
    expect(lines.some((line) => line.done)).toBe(false);
  });

  it('only loads the model where there are no messages', async () => {
    for (const body of [{ model: 'tiny' }, { model: 'tiny', messages: [], keep_alive: '5m' }]) {
      const { api, runner } = apiOver();
      const [line, ...others] = await readLines(await api(post('/api/chat', body)));
      expect(line).toMatchObject({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'load' });
      expect(others).toEqual([]);
      expect(runner.asked).toMatchObject([{ modelId: 'tiny', request: { maxTokens: 1 } }]);
    }
  });

  it.each([0, '0', '0s', '0m'])(
    'unloads the model where keep_alive is %s and there are no messages',
    async (keep_alive) => {
      const unloaded: string[] = [];
      const { context } = createContext({ runner: { ...createFakeRunner(), residency: residencyOf(unloaded) } });
      const [line] = await readLines(await createApi(context)(post('/api/chat', { model: 'tiny', keep_alive })));
      expect(line).toMatchObject({ done: true, done_reason: 'unload' });
      expect(unloaded).toContain('tiny');
    },
  );

  it('says where no request can unload a model', async () => {
    const keep_alive = 0;
    const { api, runner } = apiOver();
    const reply = await api(post('/api/chat', { model: 'tiny', keep_alive }));
    expect(reply.status).toBe(501);
    expect((await readJson(reply)).error).toMatch(/can not be unloaded/);
    expect(runner.asked).toEqual([]);
  });

  it('notes fields that nobody defines and goes on', async () => {
    const { api, noted } = apiOver();
    const body = { ...hello, sparkle: 1, options: { shine: 2, num_ctx: 9, use_mmap: true, seed: 1 } };
    expect((await api(post('/api/chat', body))).status).toBe(200);
    expect(noted.flat()).toEqual(['sparkle', 'options.shine']);
  });

  it('is cancelled when the client goes away, streamed or not', async () => {
    for (const stream of [true, false]) {
      const client = new AbortController();
      const { api, runner } = apiOver();
      await api(post('/api/chat', { ...hello, stream }, { signal: client.signal }));
      client.abort();
      expect(runner.asked[0]?.signal.aborted).toBe(true);
    }
  });
});

describe('POST /api/generate', () => {
  const generate = (body: object) => post('/api/generate', { model: 'tiny', prompt: 'Hello', ...body });

  it('streams the reply to one message, the last line with the counts', async () => {
    const { api, runner } = apiOver();
    const last: Sent<GenerateResponse> = {
      model: 'tiny',
      created_at: 'TIME',
      response: '',
      done: true,
      done_reason: 'stop',
      context: [],
      ...FIGURES,
    };
    expect(withoutTimes(await readLines(await api(generate({ system: 'Be brief.' }))))).toEqual([
      { model: 'tiny', created_at: 'TIME', response: 'Hel', done: false },
      { model: 'tiny', created_at: 'TIME', response: 'lo', done: false },
      last,
    ]);
    expect(runner.asked[0]?.request.prompt).toMatchObject({
      kind: 'chat',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
    });
  });

  it('answers whole with stream false', async () => {
    const events = [progress(12, 12, 4), reasoning('Hm.'), text('Hello'), finish('length'), done()];
    const reply = await apiOver(() => streamOf(events)).api(generate({ stream: false }));
    const whole: Sent<GenerateResponse> = {
      model: 'tiny',
      created_at: 'TIME',
      response: 'Hello',
      thinking: 'Hm.',
      done: true,
      done_reason: 'length',
      context: [],
      ...FIGURES,
    };
    expect(withoutTimes(await readJson(reply))).toEqual(whole);
  });

  it('continues a text where raw is true, and fills a gap before a suffix', async () => {
    const { api, runner } = apiOver(undefined, { contentFilter: ['secret'] });
    await api(generate({ raw: true, options: { num_predict: 5, seed: 3, stop: ['END', ''] } }));
    await api(generate({ suffix: 'world' }));
    expect(runner.asked).toMatchObject([
      {
        request: {
          prompt: { kind: 'text', text: 'Hello' },
          maxTokens: 5,
          stop: ['END'],
          sampling: { seed: 3 },
          banned: ['secret'],
        },
      },
      { request: { prompt: { kind: 'infill', prefix: 'Hello', suffix: 'world' }, maxTokens: null } },
    ]);
  });

  it.each<[what: string, body: object, error: string]>([
    ['a system message with raw', { raw: true, system: 'x' }, 'system is not supported with raw'],
    ['a format with raw', { raw: true, format: 'json' }, 'format is not supported with raw'],
    ['images with a suffix', { suffix: 'x', images: ['AAAA'] }, 'images is not supported with suffix'],
    ['a template of its own', { template: '{{ .Prompt }}' }, 'template must be empty'],
    ['the tokens of an earlier reply', { context: [1, 2] }, 'context must be empty: /api/chat'],
  ])('refuses %s', async (_, body, error) => {
    const { api, runner } = apiOver();
    const reply = await api(generate(body));
    expect(reply.status).toBe(400);
    expect((await readJson(reply)).error).toContain(error);
    expect(runner.asked).toEqual([]);
  });

  it('takes back the empty context that it gives', async () => {
    expect((await apiOver().api(generate({ context: [], template: '' }))).status).toBe(200);
  });

  it('only loads the model where there is no prompt', async () => {
    const { api } = apiOver();
    const whole = await readJson(await api(generate({ prompt: '', stream: false })));
    expect(whole).toMatchObject({ response: '', done: true, done_reason: 'load', eval_count: 0 });
  });
});

it('asks a model that can think with the words that its template knows', async () => {
  const cards = [modelCard({ settings: { embedding: false, prompt_template: '<think></think>{{ messages }}' } })];
  const kwargs: [think: unknown, expected: object][] = [
    [undefined, {}],
    [true, { enable_thinking: true }],
    [false, { enable_thinking: false, reasoning_effort: 'none' }],
    ['low', { enable_thinking: true, reasoning_effort: 'low' }],
  ];
  for (const [think, templateKwargs] of kwargs) {
    const { api, runner } = apiOver(undefined, { cards });
    expect((await api(post('/api/chat', { ...hello, think }))).status).toBe(200);
    expect(runner.asked[0]?.request.prompt).toMatchObject({ templateKwargs });
  }
});
