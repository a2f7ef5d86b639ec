import type { Wllama } from '@wllama/wllama/esm/index.js';
import type { Answers } from '../answers.ts';
import type { ModelKind } from '../engine.ts';
import { overlongText } from '../overlong.ts';
import { toUnitLength } from '../unit-length.ts';

/** What the answers need of the engine. */
export interface WasmTexts {
  wllama: Wllama;
  /** Runs one operation of wllama and rejects with what it failed of. */
  run<T>(operation: () => Promise<T>): Promise<T>;
  /** The text as wllama takes it. Throws a 400 `ApiError` for tokens. */
  textOf(input: string | number[]): string;
  /** In tokens. */
  contextLength(): number;
}

/** The architectures whose scores llama.cpp itself brings to 0 to 1. */
const SCORES_ARE_CHANCES = ['qwen3', 'qwen3vl'];

/** How llama-server words it that a text is longer than the context or the batch. */
const OVERLONG = /^(?:input|request) \((\d+) tokens\)/;

/** What a model of this kind answers. */
export function textAnswers(kind: ModelKind, texts: WasmTexts): Answers {
  const { wllama, textOf } = texts;
  const run = <T>(param: 'input' | 'documents', operation: () => Promise<T>) =>
    texts.run(operation).catch((error: unknown) => {
      const [, length] = (error instanceof Error && OVERLONG.exec(error.message)) || [];
      if (!length) throw error;
      const tokens = Number(length);
      // Some kinds of model must leave the last place free.
      throw overlongText(param, tokens, Math.min(texts.contextLength(), tokens - 1));
    });
  const embed: Answers['embed'] = async ({ inputs }, signal) => {
    const vectors: number[][] = [];
    let tokens = 0;
    // One by one: wllama never comes back from a request of several.
    for (const input of inputs.map(textOf)) {
      if (signal?.aborted) break;
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
