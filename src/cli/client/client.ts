import { sseData } from '../../api/stream/sse-data.ts';
import type { Offer } from '../../contract/models/finder.ts';
import type { ListedModel } from '../../contract/models/model.ts';
import type { PullEvent } from '../../contract/models/puller.ts';
import { isObject } from '../../utils/json.ts';

export interface ChatTurn {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** The fields of a chat request. The client adds the fields for streaming. */
export interface ChatRequestBody {
  model: string;
  messages: ChatTurn[];
  [field: string]: unknown;
}

/**
 * llama-server's `timings`, as Paddock sends them. Counts are tokens, durations are ms, rates are tokens per second.
 * Other servers may leave out `cache_n`, and have no `cache`.
 */
export interface ReportedTimings {
  cache_n?: number;
  prompt_n: number;
  prompt_ms: number;
  prompt_per_second: number;
  predicted_n: number;
  predicted_ms: number;
  predicted_per_second: number;
  cache?: { miss?: { why: string } };
}

/** The events of a chat stream, in order. */
export type ChatEvent =
  | { kind: 'reasoning' | 'text'; text: string }
  | { kind: 'finish'; reason: string; timings?: ReportedTimings }
  | { kind: 'usage'; promptTokens: number; completionTokens: number };

/** The answer to a question of /v1/decisions. A score's levels have labels, a choice's options only values. */
export type DecisionAnswer =
  | { type: 'predicate'; probability: number }
  | { type: 'choice'; probabilities: DecisionChance[] }
  | { type: 'score'; score: number; probabilities: DecisionChance[] };

interface DecisionChance {
  value: string | boolean | number;
  label?: string;
  probability: number;
}

/** A loaded model, as `/health` reports it. Sizes are in bytes. */
export interface LoadedOnServer {
  id: string;
  backend: string;
  device: string;
  slots: number;
  context_length: number;
  memory: number;
  busy: number;
  waiting: number;
}

/** The server's API for the commands. Every call throws an `Error` with a message for users. */
export interface ServerClient {
  /** The server's URL, without a slash at the end. */
  url: string;
  models(): Promise<ListedModel[]>;
  /** Returns the loaded models; an empty list if the server does not report them. */
  health(): Promise<{ models: LoadedOnServer[] }>;
  /** Returns what there is to pull at a source. */
  offer(source: string): Promise<Offer>;
  /** Pulls a model onto the server. If `signal` aborts, the events end without an error. */
  pull(source: string, signal: AbortSignal): AsyncGenerator<PullEvent>;
  /** Unloads a model. Returns false if it is not loaded. */
  unload(id: string): Promise<boolean>;
  /** Streams a reply. If `signal` aborts, the stream ends without an error. */
  chat(body: ChatRequestBody, signal: AbortSignal): AsyncGenerator<ChatEvent>;
  /** Returns the answer to the only question of a request for decisions. */
  decide(body: { model: string; input: string; questions: [object] }): Promise<DecisionAnswer>;
  /** Sends any other request. Throws a `RefusedRequest` for a status that is not a success. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** The server refuses a request. The message is the server's own. */
export class RefusedRequest extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The timeout of requests that need no model, in ms. */
const ANSWER_MS = 15_000;

/** Makes a client for the server at `url`. It sends `key` if there is one. */
export function createServerClient(url: string, key: string | undefined, answerMs = ANSWER_MS): ServerClient {
  const authorization = key === undefined ? undefined : { authorization: `Bearer ${key}` };

  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    // A form has a type of its own.
    const type = init.body instanceof FormData ? undefined : { 'content-type': 'application/json' };
    const headers = { ...type, ...authorization };
    const response = await fetch(url + path, { ...init, headers }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new Error(`no server answers at ${url}: ${causeOf(error)}`);
    });
    if (!response.ok) throw new RefusedRequest(await readError(response), response.status);
    return response;
  };
  /** Sends a request that needs no model. Throws an `Error` with a message for users. */
  const get = async (path: string): Promise<unknown> => {
    const signal = AbortSignal.timeout(answerMs);
    try {
      return await (await send(path, { signal })).json();
    } catch (error) {
      if (signal.aborted) throw new Error(`no server answers at ${url}: it said nothing for ${answerMs / 1000} s`);
      throw error instanceof SyntaxError ? notPaddock(url) : error;
    }
  };

  const post = (path: string, body: object, signal: AbortSignal): Promise<Response> =>
    send(path, { method: 'POST', body: JSON.stringify(body), signal });
  /** Sends a request whose reply is a stream of server-sent events. If `signal` aborts, it ends without an error. */
  async function* stream(path: string, body: object, signal: AbortSignal, cut: string): AsyncGenerator<unknown> {
    try {
      const response = await post(path, body, signal);
      for await (const data of sseData(response.body ?? new ReadableStream())) {
        if (data === '[DONE]') return;
        yield JSON.parse(data);
      }
      throw new Error(cut);
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof TypeError ? new Error(`the connection broke: ${causeOf(error)}`) : error;
    }
  }

  return {
    url,
    send,
    async models() {
      const list = await get('/v1/models');
      if (!isObject(list) || !Array.isArray(list.data) || !list.data.every(isModel)) throw notPaddock(url);
      return list.data;
    },
    async health() {
      const health = await get('/health');
      return { models: isObject(health) && Array.isArray(health.models) ? health.models : [] };
    },

    async decide(body) {
      const reply = await send('/v1/decisions', { method: 'POST', body: JSON.stringify(body) });
      const { answers } = (await reply.json()) as { answers?: [DecisionAnswer] };
      if (!answers) throw notPaddock(url);
      return answers[0];
    },
    async offer(model) {
      const answer = await post('/v1/models/variants', { model }, new AbortController().signal);
      const { origin, named, data } = (await answer.json()) as {
        origin: string;
        named: string | null;
        data: Offer['variants'];
      };
      return { origin, named, variants: data };
    },
    async *pull(model, signal) {
      const cut = 'the server ended the pull in the middle; the same pull goes on from there';
      for await (const data of stream('/v1/models/pull', { model }, signal, cut)) yield toPullEvent(data as PullLine);
    },
    async unload(model) {
      const answer = await post('/v1/models/unload', { model }, AbortSignal.timeout(answerMs));
      return ((await answer.json()) as { unloaded: boolean }).unloaded;
    },

    async *chat(body, signal) {
      const request = { ...body, stream: true, stream_options: { include_usage: true } };
      const cut = 'the server ended the reply in the middle';
      for await (const data of stream('/v1/chat/completions', request, signal, cut)) yield* toEvents(data as Chunk);
    },
  };
}

function isModel(value: unknown): value is ListedModel {
  return isObject(value) && typeof value.id === 'string' && isObject(value.capabilities);
}

function notPaddock(url: string): Error {
  return new Error(`what answers at ${url} is no Paddock`);
}

interface Chunk {
  error?: { message: string };
  choices?: { delta: { content?: string | null; reasoning_content?: string }; finish_reason: string | null }[];
  timings?: ReportedTimings;
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
}

function* toEvents({ error, choices = [], timings, usage }: Chunk): Generator<ChatEvent> {
  if (error) throw new Error(error.message);
  for (const { delta, finish_reason: reason } of choices) {
    if (delta.reasoning_content) yield { kind: 'reasoning', text: delta.reasoning_content };
    if (delta.content) yield { kind: 'text', text: delta.content };
    if (reason) yield { kind: 'finish', reason, ...(timings && { timings }) };
  }
  if (usage) yield { kind: 'usage', promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens };
}

/** An event of `POST /v1/models/pull`, or an error in its place. */
type PullLine =
  | { error: { message: string } }
  | Extract<PullEvent, { status: 'resolving' | 'waiting' | 'verifying' }>
  | {
      status: 'downloading';
      file: string;
      completed: number;
      total: number;
      bytes_per_second: number;
      seconds_left: number | null;
    }
  | { status: 'done'; already_here: boolean; model: { id: string } };

function toPullEvent(line: PullLine): PullEvent {
  if ('error' in line) throw new Error(line.error.message);
  if (line.status === 'done') return { status: 'done', model: line.model.id, alreadyHere: line.already_here };
  if (line.status !== 'downloading') return line;
  const { bytes_per_second: bytesPerSecond, seconds_left: secondsLeft, ...progress } = line;
  return { ...progress, bytesPerSecond, secondsLeft };
}

/** Returns the server's own error message, if there is one. */
async function readError(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text) as { error: { message: string } };
    return response.status === 401 ? `${error.message} Give one with --api-key.` : error.message;
  } catch {
    return `the server answers ${response.status} ${response.statusText}`.trim();
  }
}

/** The message of a failed fetch is only "fetch failed". The reason is in its cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'the connection was refused' : message;
}
