import type { Wllama } from '@wllama/wllama/esm/index.js';
import type { Answers } from '../answers.ts';
import type { ModelKind } from '../engine.ts';
import { overlongText } from '../overlong.ts';
import { toUnitLength } from '../unit-length.ts';

/** The functions of the engine that the answers need. */
export interface WasmTexts {
  wllama: Wllama;
  /** Runs one operation of wllama. Rejects with the reason if it fails. */
  run<T>(operation: () => Promise<T>): Promise<T>;
  /** Returns the text, or the token ids, in wllama's form. Throws a 400 `ApiError` for an unknown id. */
  inputOf(input: string | number[]): string | number[];
  /** Counts the tokens of an input. Returns 0 if the input is so short that it surely fits the context window. */
  countOf(input: string | number[], signal: AbortSignal | undefined): Promise<number>;
  /** Returns the context window in tokens. */
  contextLength(): number;
}

/** The architectures whose scores llama.cpp itself scales to 0 to 1. */
const SCORES_ARE_CHANCES = ['qwen3', 'qwen3vl'];

/** Matches llama-server's error for a text that is longer than the context or the batch. */
const OVERLONG = /^(?:input|request) \((\d+) tokens\)/;

/**
 * Returns the answers of an embedding or ranking model; none for a chat model. They throw a 400 `ApiError` for a text
 * that is too long.
 */
export function textAnswers(kind: ModelKind, texts: WasmTexts): Answers {
  const { wllama } = texts;
  const run = <T>(param: 'input' | 'documents', operation: () => Promise<T>) =>
    texts.run(operation).catch((error: unknown) => {
      const [, length] = (error instanceof Error && OVERLONG.exec(error.message)) || [];
      if (!length) throw error;
      const tokens = Number(length);
      // Some models must leave the last cell free, so a text of exactly the context window can be too long.
      throw overlongText(param, tokens, Math.min(texts.contextLength(), tokens - 1));
    });
  const embed: Answers['embed'] = async ({ inputs }, signal) => {
    const end = wllama.mustAddEosToken() ? [wllama.getEOS()] : [];
    for (const input of inputs) {
      const count = (await texts.countOf(input, signal)) + end.length;
      if (count > texts.contextLength()) throw overlongText('input', count, texts.contextLength());
    }
    const vectors: number[][] = [];
    let tokens = 0;
    // One request per text: wllama never answers a request with several.
    for (const taken of inputs.map(texts.inputOf)) {
      if (signal?.aborted) break;
      // llama-server ends texts by itself, and token ids not at all.
      const input = typeof taken === 'string' || taken.at(-1) === end[0] ? taken : [...taken, ...end];
      const { data, usage } = await run('input', () => wllama.createEmbedding({ input: [input] }));
      vectors.push(toUnitLength(data[0]?.embedding ?? []));
      tokens += usage.prompt_tokens;
    }
    return { vectors, tokens };
  };
  const rerank: Answers['rerank'] = async (question) => {
    const { results, usage } = await run('documents', () => wllama.createRerank(question));
    const { metadata } = wllama.getLoadedContextInfo();
    const areChances = SCORES_ARE_CHANCES.includes(metadata['general.architecture'] ?? '');
    const scores = results
      .sort((a, b) => a.index - b.index)
      .map(({ relevance_score }) => (areChances ? relevance_score : sigmoid(relevance_score)));
    return { scores, tokens: usage.prompt_tokens };
  };
  return { ...(kind === 'embedding' && { embed }), ...(kind === 'rerank' && { rerank }) };
}

function sigmoid(score: number): number {
  return 1 / (1 + Math.exp(-score));
}
