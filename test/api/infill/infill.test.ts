import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/api.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { GenerationRequest } from '../../../src/contract/generation-request.ts';
import {
  chunksOf,
  contentOf,
  createContext,
  createFakeRunner,
  dataLines,
  done,
  finish,
  loadedModel,
  modelCard,
  ORDINARY,
  post,
  progress,
  readBody,
  readJson,
  streamOf,
  text,
} from '../fixtures.ts';

/** The request of llama.vim for a keystroke, with its default settings. */
const vim = {
  input_prefix: 'function add(a, b) {\n',
  input_suffix: '\n}\n',
  input_extra: [{ text: 'const x = 1;\n', time: 12.5, filename: 'x.ts' }],
  prompt: '  return a',
  n_predict: 128,
  stop: [],
  n_indent: 2,
  top_k: 40,
  top_p: 0.9,
  stream: false,
  samplers: ['top_k', 'top_p', 'infill'],
  cache_prompt: true,
  t_max_prompt_ms: 500,
  t_max_predict_ms: 250,
  response_fields: [
    'content',
    'timings/prompt_n',
    'timings/predicted_per_token_ms',
    'truncated',
    'tokens_cached',
    'none',
  ],
};

/** The request of llama.vscode for a keystroke. */
const vscode = {
  input_prefix: 'a\n',
  input_suffix: '\nc',
  input_extra: [],
  prompt: 'b',
  n_predict: 500,
  top_k: 40,
  top_p: 0.99,
  stream: false,
  samplers: ['top_k', 'top_p', 'infill'],
  cache_prompt: true,
  t_max_prompt_ms: 500,
  t_max_predict_ms: 2500,
};

/** The request of llama.vim that only reads the other files. */
const warm = {
  ...vim,
  input_prefix: '',
  input_suffix: '',
  prompt: '',
  n_predict: 0,
  samplers: [],
  response_fields: [''],
};

function apiOver(generate?: (request: GenerationRequest, signal: AbortSignal) => AsyncIterable<GenerationEvent>) {
  const runner = createFakeRunner(generate, [loadedModel()]);
  const cards = [modelCard({ id: 'embedder', settings: { embedding: true } }), modelCard({ id: 'cold' }), modelCard()];
  return { api: createApi(createContext({ runner, cards }).context), runner };
}

const infill = (body: object) => post('/infill', body);

describe('infill', () => {
  it('answers llama.vim with the fields that it names, by the model that is loaded', async () => {
    const { api, runner } = apiOver();
    const reply = await api(infill(vim));
    expect(reply.status).toBe(200);
    expect(await readJson(reply)).toEqual({
      content: 'Hello',
      'timings/prompt_n': 8,
      'timings/predicted_per_token_ms': 10,
      truncated: false,
      tokens_cached: 15,
    });
    expect(runner.asked[0]).toMatchObject({
      modelId: 'tiny',
      request: {
        prompt: {
          kind: 'infill',
          prefix: 'function add(a, b) {\n  return a',
          suffix: '\n}\n',
          files: [{ name: 'x.ts', text: 'const x = 1;\n' }],
        },
        maxTokens: 128,
        cachePrompt: true,
        sampling: { temperature: 0, topK: 40, topP: 0.9, repeatPenalty: 1, minP: 0 },
      },
    });
  });

  it('answers llama.vscode with all fields', async () => {
    const { api } = apiOver();
    expect(await readJson(await api(infill(vscode)))).toMatchObject({
      content: 'Hello',
      stop: true,
      stop_type: 'eos',
      stopping_word: '',
      truncated: false,
      tokens_predicted: 3,
      tokens_evaluated: 12,
      timings: { prompt_n: 8, prompt_ms: 20, predicted_n: 3, predicted_ms: 30 },
    });
  });

  it("switches off the samplers that it does not name, also those of the model's defaults", async () => {
    const runner = createFakeRunner(undefined, [loadedModel()]);
    const settings = { embedding: false, dry_multiplier: 0.8, xtc_probability: 0.5, top_n_sigma: 1 };
    const api = createApi(createContext({ runner, cards: [modelCard({ settings })] }).context);
    await api(infill({ ...vscode, samplers: ['top_k'] }));
    await api(infill({ ...vscode, samplers: ['dry', 'xtc', 'top_n_sigma'] }));
    expect(runner.asked.map(({ request }) => request.sampling)).toMatchObject([
      { dryMultiplier: 0, xtcProbability: 0, topNSigma: -1, topK: 40 },
      { dryMultiplier: 0.8, xtcProbability: 0.5, topNSigma: 1, topK: 0 },
    ]);
  });

  it('only reads the prompt where no tokens are wanted', async () => {
    const { api, runner } = apiOver();
    expect(await readJson(await api(infill(warm)))).toEqual({});
    expect(runner.asked[0]?.request.maxTokens).toBe(1);
    expect(await readJson(await api(infill({ ...warm, response_fields: null })))).toMatchObject({
      content: '',
      tokens_predicted: 0,
    });
  });

  it('ends at a line of less indentation, and frees the slot', async () => {
    let left = false;
    const { api } = apiOver(async function* () {
      try {
        yield progress(12, 12, 4);
        yield text(' + b;\n');
        yield text('}');
        yield text(' never');
      } finally {
        left = true;
      }
    });
    const { content, stop_type, timings } = await readJson(await api(infill({ ...vim, response_fields: undefined })));
    expect([content, stop_type]).toEqual([' + b;\n', 'limit']);
    expect(timings).toMatchObject({ cache_n: 4, prompt_n: 8, predicted_n: 2 });
    expect(left).toBe(true);
  });

  it('names the stop sequence at which it ended', async () => {
    const { api } = apiOver(() => streamOf([progress(1, 1), text('a'), { ...finish(), stopSequence: 'END' }, done()]));
    expect(await readJson(await api(infill({ ...vscode, stop: ['END'] })))).toMatchObject({
      stop_type: 'word',
      stopping_word: 'END',
    });
  });

  it('shortens what does not fit the context window, and says so', async () => {
    const { api, runner } = apiOver((request) =>
      request.prompt.kind === 'infill' && request.prompt.prefix.length > 500
        ? streamOf([{ kind: 'overflow', promptTokens: 2000, contextLength: 512 }])
        : streamOf(ORDINARY),
    );
    const body = { ...vscode, input_prefix: 'a line of code\n'.repeat(200), n_predict: 32 };
    expect(await readJson(await api(infill(body)))).toMatchObject({ content: 'Hello', truncated: true });
    expect(runner.asked.length).toBeGreaterThan(1);
  });

  it('streams pieces, and last all other fields, as llama-server does', async () => {
    const { api } = apiOver();
    const body = await readBody(await api(infill({ ...vscode, stream: true })));
    expect(body).not.toContain('[DONE]');
    const events = dataLines(body).map((line) => JSON.parse(line));
    expect(events.slice(0, -1)).toEqual([
      { index: 0, content: 'Hel', stop: false, tokens_predicted: 1, tokens_evaluated: 12 },
      { index: 0, content: 'lo', stop: false, tokens_predicted: 2, tokens_evaluated: 12 },
    ]);
    const whole = await readJson(await api(infill(vscode)));
    expect(events.at(-1)).toEqual({ ...whole, content: '' });
    expect(whole.content).toBe('Hello');
  });

  it('streams nothing that n_indent takes back', async () => {
    const pieces = [' + b;', '\n', '  c\n', ' ', '}', ' never'];
    const { api } = apiOver(() =>
      streamOf([progress(12, 12), ...pieces.map((piece) => text(piece)), finish(), done()]),
    );
    const streamed = async (n_indent: number) => {
      const body = await readBody(await api(infill({ ...vscode, n_indent, stream: true })));
      return dataLines(body).map((line) => JSON.parse(line).content);
    };
    expect(await streamed(2)).toEqual([' + b;', '\n', '  c\n', '']);
    expect(await streamed(0)).toEqual([...pieces, '']);
  });

  it('streams the wanted fields last, and only them for a prompt that is only read', async () => {
    const { api } = apiOver();
    const body = await readBody(await api(infill({ ...vim, n_predict: 0, stream: true })));
    expect(dataLines(body).map((line) => Object.keys(JSON.parse(line)))).toEqual([
      ['content', 'timings/prompt_n', 'timings/predicted_per_token_ms', 'truncated', 'tokens_cached'],
    ]);
  });

  it('shortens before it streams, and fails with a status for what never fits', async () => {
    const { api } = apiOver((request) =>
      request.prompt.kind === 'infill' && request.prompt.prefix.length > 500
        ? streamOf([{ kind: 'overflow', promptTokens: 2000, contextLength: 512 }])
        : streamOf(ORDINARY),
    );
    const body = { ...vscode, input_prefix: 'a line of code\n'.repeat(200), n_predict: 32, stream: true };
    const events = dataLines(await readBody(await api(infill(body)))).map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ stop: true, truncated: true });
    const never = apiOver(() => streamOf([{ kind: 'overflow', promptTokens: 2000, contextLength: 512 }]));
    const refused = await never.api(infill({ ...vscode, stream: true }));
    expect([refused.status, (await readJson(refused)).error.code]).toEqual([400, 'context_length_exceeded']);
  });

  it('cancels the generation when the client leaves', async () => {
    let aborted = false;
    const { api } = apiOver(async function* (_, signal) {
      yield progress(1, 12);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted = true;
    });
    const leave = new AbortController();
    const reply = api(post('/infill', vscode, { signal: leave.signal }));
    setImmediate(() => leave.abort());
    await reply;
    expect(aborted).toBe(true);
  });

  it.each<[string, object, string]>([
    ['no prefix', { input_prefix: undefined }, 'input_prefix'],
    ['no suffix', { input_suffix: undefined }, 'input_suffix'],
    ['a file without a text', { input_extra: [{ filename: 'a' }] }, 'input_extra[0].text'],
    ['an unknown sampler', { samplers: ['magic'] }, 'samplers'],
    ['a stream that is neither true nor false', { stream: 'yes' }, 'stream'],
    ['an unknown model', { model: 'nope' }, 'model'],
  ])('refuses %s, and names the field', async (_, more, param) => {
    const { api } = apiOver();
    const reply = await api(infill({ ...vscode, ...more }));
    expect(reply.status).toBe(param === 'model' ? 404 : 400);
    expect((await readJson(reply)).error.param).toBe(param);
  });
});

describe('the completion of a gap, in the form of Mistral', () => {
  const fim = (more: object = {}) =>
    post('/v1/fim/completions', { model: 'tiny', prompt: 'def add(', suffix: '\n', random_seed: 7, ...more });

  it('answers as a chat completion', async () => {
    const { api, runner } = apiOver();
    expect(await readJson(await api(fim()))).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3 },
    });
    expect(runner.asked[0]?.request).toMatchObject({
      prompt: { kind: 'infill', prefix: 'def add(', suffix: '\n' },
      sampling: { seed: 7 },
    });
  });

  it('streams chunks that all have a choice', async () => {
    const { api } = apiOver();
    const body = await readBody(await api(fim({ stream: true })));
    const chunks = chunksOf(body);
    expect(contentOf(chunks)).toBe('Hello');
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true);
    expect(body).toMatch(/data: \[DONE\]\n\n$/);
  });
});
