import type { Wllama } from '@wllama/wllama/esm/index.js';
import { contextLengthExceeded, unsupportedParameter } from '../../contract/errors.ts';
import type { TextPart } from '../../contract/prompt.ts';
import type { Answers } from '../answers.ts';
import { spellingsOf, weighSpellings } from '../label-tree.ts';
import { isTokens, partsOf } from '../tokenize.ts';
import type { Chunk } from './chunks.ts';
import type { WasmVocabulary } from './vocabulary.ts';

/** The functions of the engine that weighing options needs. */
export interface WasmReads {
  wllama: Pick<Wllama, 'getEOS' | 'getEOT'>;
  vocabulary: WasmVocabulary;
  contextLength(): number;
  /** Counts the tokens of a prompt. Returns 0 if the prompt is so short that it surely fits the context window. */
  countOf(prompt: string | number[] | TextPart[], signal: AbortSignal | undefined): Promise<number>;
  /**
   * Runs a completion that does not stream, and returns its only chunk; null after an abort. Throws a `contextLengthExceeded` error
   * that names `param` if the prompt does not fit.
   */
  complete(prompt: ReadPrompt, params: object, signal: AbortSignal | undefined): Promise<Chunk | null>;
}

/** A prompt after which logits are read. */
export interface ReadPrompt {
  parts: TextPart[];
  scope: string | undefined;
  param: string;
}

/**
 * A bias that puts the tokens of the options above all other tokens. All have the same, so it does not change their probabilities among
 * each other.
 */
const BIAS = 100;

/**
 * Makes the answer to `weigh`. llama-server returns only probabilities of tokens that are among the most likely after its samplers: so
 * each place where the spellings differ takes a completion of one token, with the tokens that may follow raised above all others.
 */
export function weighAnswer(reads: WasmReads): NonNullable<Answers['weigh']> {
  const { wllama, vocabulary } = reads;
  return async ({ prompt, options, param, cacheScope }, signal) => {
    const contextLength = reads.contextLength();
    const promptTokens = await reads.countOf(prompt, signal);
    if (promptTokens >= contextLength) throw contextLengthExceeded(promptTokens, contextLength, param);
    const parts = partsOf(isTokens(prompt) ? await vocabulary.textOf(prompt) : prompt);
    const spellings = await spellingsOf(options, vocabulary.tokensAmid, (token) => vocabulary.spell([token]));
    const ends = [wllama.getEOS(), wllama.getEOT()].filter((token) => token >= 0);
    let first: { tokens: number; cached: number } | undefined;

    const probabilities = await weighSpellings(spellings, options.length, async (path, next, mayEnd) => {
      const wanted = mayEnd ? [...new Set([...next, ...ends])] : next;
      const text = await vocabulary.spell(path);
      if (text.includes(BROKEN)) throw untellable(param);
      const asked = {
        parts: path.length === 0 ? parts : [...parts, { text, literal: true }],
        scope: cacheScope,
        param,
      };
      const chunk = await reads.complete(asked, readParams(wanted), signal);
      const found = new Map(
        (chunk?.choices[0]?.logprobs?.content[0]?.top_probs ?? []).map(({ id, prob }) => [id, prob]),
      );
      const { cache_n = 0, prompt_n = 0 } = chunk?.timings ?? {};
      first ??= { tokens: cache_n + prompt_n, cached: cache_n };
      const logOf = (tokens: number[]) => Math.log(tokens.reduce((total, token) => total + (found.get(token) ?? 0), 0));
      return [...next.map((token) => logOf([token])), ...(mayEnd ? [logOf(ends)] : [])];
    });
    return { probabilities, tokens: first?.tokens ?? promptTokens, cached: first?.cached ?? promptTokens };
  };
}

/** Stands for a part of a character. */
const BROKEN = '\u{FFFD}';

/** Returns the parameters of a completion that reports the probabilities of these tokens, scaled to a sum of 1. */
function readParams(tokens: number[]): object {
  return {
    n_predict: 1,
    samplers: ['temperature'],
    temperature: 1,
    n_probs: tokens.length,
    post_sampling_probs: true,
    logit_bias: tokens.map((token) => [token, BIAS]),
  };
}

/** Returns a 400 `ApiError`: llama-server takes and returns only whole characters. */
function untellable(param: string): Error {
  return unsupportedParameter(
    param,
    'Two options differ within a character, which the WebAssembly runtime can not tell: name them by other characters.',
  );
}
