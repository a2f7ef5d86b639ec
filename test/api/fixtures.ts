import type { GenericSchema } from 'valibot';
import { toChatConversation } from '../../src/api/chat/request.ts';
import { chatRequestSchema } from '../../src/api/chat/schema.ts';
import type { RequestContext } from '../../src/api/context.ts';
import { validate } from '../../src/api/fields/fields.ts';
import { toGenerationRequest } from '../../src/api/generation/request.ts';
import type { ApiReply, ApiRequest } from '../../src/api/http/http.ts';
import { plainKeys } from '../../src/api/keys/plain.ts';
import { beginRecord } from '../../src/api/record.ts';
import { createResponseStore } from '../../src/api/responses/store.ts';
import type { EngineInfo } from '../../src/contract/engine-info.ts';
import { ApiError } from '../../src/contract/errors.ts';
import type {
  ChoiceFinished,
  FinishReason,
  GenerationDone,
  GenerationEvent,
  PromptProgress,
  ReasoningDelta,
  TextDelta,
  TokenLogprob,
  ToolArgumentsDelta,
  ToolCallStart,
} from '../../src/contract/events.ts';
import type { GenerationRequest } from '../../src/contract/generation-request.ts';
import type { ModelCard } from '../../src/contract/models/model.ts';
import type { QuestionKind, Questions } from '../../src/contract/questions.ts';
import type { LoadedModel, MovingModel } from '../../src/contract/residency.ts';
import type { Runner } from '../../src/contract/runner.ts';

export function modelCard(overrides: Partial<ModelCard> = {}): ModelCard {
  return {
    id: 'tiny',
    created: 1_700_000_000,
    owned_by: 'someone',
    name: 'Tiny',
    version: '1.0',
    format: 'gguf',
    description: 'A model for tests',
    sources: [{ filename: 'tiny.gguf', url: 'https://models.example/tiny.gguf' }],
    settings: { embedding: false },
    parameters: {},
    metadata: { author: 'someone', tags: ['test'], size: 1234, cover: '' },
    trainedContextLength: 4096,
    parameterCount: 1000,
    audioModel: false,
    rankingModel: false,
    ...overrides,
  };
}

export const engineInfo: EngineInfo = {
  backend: 'cpu',
  runtime: 'node-llama-cpp',
  device: 'cpu',
  contextLength: 512,
  trainedContextLength: 4096,
  slots: 4,
  gpuLayers: 0,
  threads: 2,
};

export function loadedModel(overrides: Partial<LoadedModel> = {}): LoadedModel {
  return { id: 'tiny', engine: engineInfo, fallbackReasons: [], memory: 3_000_000, busy: 0, waiting: 0, ...overrides };
}

export function progress(processed: number, total: number, cache = 0): PromptProgress {
  return { kind: 'progress', cache, processed, total, timeMs: 5 };
}

export function text(piece: string, choice = 0): TextDelta {
  return { kind: 'text', choice, text: piece };
}

export function reasoning(piece: string, choice = 0): ReasoningDelta {
  return { kind: 'reasoning', choice, text: piece };
}

export function toolCall(name: string, index = 0, choice = 0): ToolCallStart {
  return { kind: 'toolCall', choice, index, name };
}

export function toolArguments(piece: string, index = 0, choice = 0): ToolArgumentsDelta {
  return { kind: 'toolArguments', choice, index, text: piece };
}

/** A token of log probability -0.5 with these alternatives, which are equally likely. */
export function tokenLogprob(token: string, ...others: string[]): TokenLogprob {
  const likely = (piece: string) => ({ text: piece, bytes: [...new TextEncoder().encode(piece)], logprob: -0.5 });
  return { ...likely(token), alternatives: others.map(likely) };
}

export function finish(reason: FinishReason = 'stop', choice = 0): ChoiceFinished {
  return { kind: 'finish', choice, reason };
}

export function done(overrides: Partial<GenerationDone> = {}): GenerationDone {
  return {
    kind: 'done',
    promptTokens: 12,
    cachedTokens: 4,
    completionTokens: 3,
    promptMs: 20,
    predictedMs: 30,
    ...overrides,
  };
}

/** The events of an ordinary reply. */
export const ORDINARY: GenerationEvent[] = [
  progress(4, 12, 4),
  progress(12, 12, 4),
  text('Hel'),
  text('lo'),
  finish(),
  done(),
];

export async function* streamOf<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

/** Yields these events, then throws. */
export async function* failing(events: GenerationEvent[], error: unknown): AsyncGenerator<GenerationEvent> {
  yield* events;
  throw error;
}

type Generate = (request: GenerationRequest, signal: AbortSignal) => AsyncIterable<GenerationEvent>;

/** The answers of a fake engine to each kind of question. */
export type Answers = {
  [K in QuestionKind]?: (
    question: Questions[K]['question'],
    signal: AbortSignal,
  ) => Questions[K]['answer'] | Promise<Questions[K]['answer']>;
};

/** Makes a Runner that does what the test tells it, and records what it was asked. */
export function createFakeRunner(
  generate: Generate = () => streamOf(ORDINARY),
  loaded: LoadedModel[] = [],
  answers: Answers = {},
  moving: MovingModel[] = [],
) {
  const asked: { modelId: string; request: GenerationRequest; signal: AbortSignal; requestId: string }[] = [];
  const questions: { modelId: string; kind: QuestionKind; question: unknown; signal: AbortSignal }[] = [];
  const runner: Runner = {
    generate(modelId, request, { signal, requestId }) {
      asked.push({ modelId, request, signal, requestId });
      return generate(request, signal);
    },
    async ask(modelId, kind, question, { signal }) {
      questions.push({ modelId, kind, question, signal });
      const answer = answers[kind];
      if (!answer) throw new Error(`the test has no answer to ${kind}`);
      return answer(question, signal);
    },
    loaded: () => loaded,
    moving: () => moving,
  };
  return { ...runner, asked, questions };
}

/** Makes a context with one model, no keys, and a log that records errors. */
export function createContext(overrides: Partial<RequestContext> & { cards?: ModelCard[] } = {}) {
  const { cards = [modelCard()], ...rest } = overrides;
  const errors: { message: string; fields: Record<string, unknown> | undefined }[] = [];
  const noted: string[][] = [];
  const trace = { requestId: 'req-test' };
  const context: RequestContext = {
    catalogue: { list: () => cards, find: (id) => cards.find((card) => card.id === id) },
    runner: createFakeRunner(),
    responses: createResponseStore(),
    apiKeys: plainKeys([]),
    pages: { origins: [], local: 'inference' },
    contentFilter: [],
    pingIntervalMs: 10_000,
    systemFingerprint: 'paddock-test',
    noteUnknownFields: (fields) => noted.push(fields),
    log: {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (message, fields) => errors.push({ message, fields }),
    },
    trace,
    record: beginRecord(trace, 'POST'),
    ...rest,
  };
  return { context, errors, noted };
}

function blank(path: string): ApiRequest {
  return {
    method: 'GET',
    path,
    query: '',
    headers: {},
    text: async () => '',
    bytes: async () => new Uint8Array(),
    signal: new AbortController().signal,
  };
}

export function get(path: string, headers: Record<string, string> = {}): ApiRequest {
  return { ...blank(path), headers };
}

export function post(path: string, body: unknown, overrides: Partial<ApiRequest> = {}): ApiRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    ...blank(path),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    text: async (look) => {
      look?.(new TextEncoder().encode(text));
      return text;
    },
    ...overrides,
  };
}

export const hello = { model: 'tiny', messages: [{ role: 'user', content: 'Hello' }] };

export function chat(body: Record<string, unknown> = {}, overrides: Partial<ApiRequest> = {}): ApiRequest {
  return post('/v1/chat/completions', { ...hello, ...body }, overrides);
}

/** The generation that a chat request with these fields asks for. */
export function chatGeneration(
  body: Record<string, unknown> = {},
  model: Partial<ModelCard> = {},
  banned: string[] = [],
): GenerationRequest {
  const conversation = toChatConversation(validate(chatRequestSchema, { ...hello, ...body }));
  return toGenerationRequest(conversation, modelCard(model), banned);
}

/** The error that a schema answers a body with. Throws if it takes the body. */
export function refusalOf(schema: GenericSchema, body: unknown): ApiError {
  try {
    validate(schema, body);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('the request was accepted');
}

export async function readBody({ body }: ApiReply): Promise<string> {
  if (typeof body === 'string') return body;
  return (await collect(body)).join('');
}

export async function readJson(reply: ApiReply) {
  return JSON.parse(await readBody(reply));
}

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

/** A chunk of a chat stream, or the error or usage in its place. */
export interface Chunk {
  id: string;
  object: string;
  created: number;
  model: string;
  system_fingerprint: string;
  choices: {
    index: number;
    delta: {
      role?: string;
      content?: string;
      reasoning_content?: string;
      tool_calls?: { index: number; id?: string; type?: string; function: { name?: string; arguments: string } }[];
    };
    logprobs?: { content: object[]; refusal: null } | null;
    finish_reason: string | null;
  }[];
  prompt_progress?: { cache: number; processed: number; total: number; time_ms: number };
  usage?: Record<string, unknown>;
  timings?: Record<string, number>;
  error?: Record<string, unknown>;
}

/** Reads the events of an SSE text, without comments. `[DONE]` stays as it is; everything else must be JSON. */
export function parseSse(stream: string): (Chunk | '[DONE]')[] {
  return dataLines(stream).map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
}

/** Like `parseSse`, but without `[DONE]`. */
export function chunksOf(stream: string): Chunk[] {
  return parseSse(stream).filter((event) => event !== '[DONE]');
}

export function contentOf(chunks: Chunk[]): string {
  return chunks.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('');
}

/** Returns the data of the events of an SSE text, without comments. Throws if it is not valid SSE. */
export function dataLines(stream: string): string[] {
  if (!stream.endsWith('\n\n')) throw new Error('the stream does not end with a blank line');
  const events = stream.slice(0, -2).split('\n\n');
  return events
    .filter((event) => !event.startsWith(':'))
    .map((event) => {
      if (!event.startsWith('data: ') || event.includes('\n')) throw new Error(`not one data line: ${event}`);
      return event.slice('data: '.length);
    });
}
