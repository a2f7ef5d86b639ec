import { createApi } from '../../../src/api/api.ts';
import type { TextLogprobs } from '../../../src/api/completions/logprobs.ts';
import type { ApiRequest } from '../../../src/api/http/http.ts';
import type { GenerationEvent } from '../../../src/contract/events.ts';
import type { GenerationRequest } from '../../../src/contract/generation-request.ts';
import {
  createContext,
  createFakeRunner,
  dataLines,
  done,
  finish,
  ORDINARY,
  post,
  progress,
  streamOf,
  text,
} from '../fixtures.ts';

export const once = { model: 'tiny', prompt: 'Once' };

export function completion(body: Record<string, unknown> = {}, overrides: Partial<ApiRequest> = {}): ApiRequest {
  return post('/v1/completions', { ...once, ...body }, overrides);
}

/** A chunk of a completion's stream, or the error or usage in its place. */
export interface TextChunk {
  id: string;
  object: string;
  created: number;
  model: string;
  system_fingerprint: string;
  choices: { index: number; text: string; logprobs: TextLogprobs | null; finish_reason: string | null }[];
  prompt_progress?: { cache: number; processed: number; total: number; time_ms: number };
  usage?: Record<string, unknown>;
  timings?: Record<string, number>;
  error?: Record<string, unknown>;
}

/** Returns the JSON chunks of a stream, without the [DONE] at its end. */
export function textChunksOf(stream: string): TextChunk[] {
  return dataLines(stream)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data));
}

/** Returns the text of each choice, by index. */
export function textsOf(chunks: TextChunk[]): string[] {
  const texts: string[] = [];
  for (const { choices } of chunks) {
    for (const { index, text } of choices) texts[index] = (texts[index] ?? '') + text;
  }
  return texts;
}

export const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 900, contextLength: 512 };

export type Generate = (request: GenerationRequest, signal: AbortSignal) => AsyncIterable<GenerationEvent>;

/** Makes the API over a runner that yields these events. */
export function apiOver(generate: Generate = () => streamOf(ORDINARY)) {
  const runner = createFakeRunner(generate, [], { detokenize: ({ tokens }) => ({ text: `<${tokens.join()}>` }) });
  const { context, errors, noted } = createContext({ runner });
  return { api: createApi(context), runner, errors, noted };
}

/** Continues each text with the same text in capitals, for as many choices as the request asks for. */
export const shouting: Generate = ({ prompt, choices }) => {
  const said = prompt.kind === 'text' ? prompt.text.toUpperCase() : prompt.kind;
  const all = Array.from({ length: choices }, (_, choice) => choice);
  return streamOf([
    progress(1, 1),
    ...all.map((choice) => text(`${said}${choice}`, choice)),
    ...all.map((choice) => finish('stop', choice)),
    done({ promptTokens: 2, cachedTokens: 1, completionTokens: choices }),
  ]);
};
