import { join } from 'node:path';
import {
  getLlama,
  LlamaLogLevel,
  type LlamaModel,
  type SequenceEvaluateOptions,
  type Token,
  TokenBias,
} from 'node-llama-cpp';
import { inject } from 'vitest';
import type { Sampling } from '../../src/contract/sampling.ts';
import type { TokenLogits } from '../../src/sampling/candidates.ts';
import { greedy } from '../kit/generation.ts';

/** Draws from the plain distribution. */
export const plain: Sampling = { ...greedy, temperature: 1, seed: 42 };

/** node-llama-cpp's sampler options. All of them are always given, since its defaults truncate. */
type NativeOptions = Pick<
  SequenceEvaluateOptions,
  'temperature' | 'topK' | 'topP' | 'minP' | 'seed' | 'repeatPenalty' | 'tokenBias'
>;

/**
 * Starts node-llama-cpp with the tiny model. Tests compare its sampler chain with ours, on the logits after a prompt.
 */
export async function startNativeChain() {
  const llama = await getLlama({
    build: 'never',
    gpu: false,
    maxThreads: 1,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
  });
  const model = await llama.loadModel({ modelPath: join(inject('modelsFolder'), 'tiny.gguf') });
  const context = await model.createContext({ contextSize: 256, threads: 1 });
  const sequence = context.getSequence();
  const prompt = model.tokenize('hello there, how are you', true);

  /** Appends these tokens to the sequence. Returns the result of the chain for the logits of the last one. */
  async function evaluate(tokens: Token[], options: NativeOptions) {
    const last = tokens.at(-1);
    if (last === undefined) throw new Error('nothing to evaluate');
    const generateNext = { token: true, logits: true, probabilities: true, totalLogitWeight: true, options } as const;
    const output = await sequence.controlledEvaluate([...tokens.slice(0, -1), [last, { generateNext }]]);
    const next = output.at(-1)?.next;
    if (!next?.logits || !next.probabilities || next.totalLogitWeight === undefined) throw new Error('no logits came');
    return {
      token: next.token,
      logits: toTokenLogits(next.logits),
      probabilities: [...next.probabilities.values()],
      totalLogitWeight: next.totalLogitWeight,
    };
  }

  return {
    model,
    prompt,

    /** Returns the result of the chain for the logits after the prompt. */
    async evaluatePrompt(sampling: Partial<Sampling> = {}) {
      await sequence.clearHistory();
      return evaluate(
        prompt,
        toNative(model, { ...plain, ...sampling }, () => prompt),
      );
    },

    /** Returns the tokens that the chain draws after the prompt. */
    async generate(sampling: Sampling, count: number): Promise<Token[]> {
      await sequence.clearHistory();
      const history = [...prompt];
      const options = toNative(model, sampling, () => history);
      const tokens = sequence.evaluate(prompt, { ...options, yieldEogToken: true });
      while (history.length < prompt.length + count) {
        const { value } = await tokens.next();
        if (value === undefined) throw new Error('the model ended its turn');
        history.push(value);
      }
      await tokens.return(undefined);
      return history.slice(prompt.length);
    },

    /** Returns the tokens that `choose` chooses after the prompt. It gets the raw logits and all tokens so far. */
    async generateWith(choose: (logits: TokenLogits, history: Token[]) => number, count: number): Promise<Token[]> {
      await sequence.clearHistory();
      const history = [...prompt];
      const raw = toNative(model, plain, () => []);
      let fresh = prompt;
      while (history.length < prompt.length + count) {
        const { logits } = await evaluate(fresh, raw);
        fresh = [choose(logits, history) as Token];
        history.push(...fresh);
      }
      return history.slice(prompt.length);
    },

    async [Symbol.asyncDispose]() {
      await model.dispose();
      await llama.dispose();
    },
  };
}

export type NativeChain = Awaited<ReturnType<typeof startNativeChain>>;

/** Translates our sampling fields to node-llama-cpp's options. */
function toNative(model: LlamaModel, sampling: Sampling, history: () => Token[]): NativeOptions {
  const tokenBias = TokenBias.for(model);
  for (const [token, logit] of sampling.logitBias) tokenBias.set(token as Token, { logit });
  return {
    temperature: sampling.temperature,
    topK: sampling.topK,
    topP: sampling.topP,
    minP: sampling.minP,
    seed: sampling.seed,
    repeatPenalty: {
      punishTokens: () => history().slice(-sampling.repeatLastN),
      maxPunishTokens: sampling.repeatLastN,
      penalty: sampling.repeatPenalty,
      presencePenalty: sampling.presencePenalty,
      frequencyPenalty: sampling.frequencyPenalty,
    },
    ...(sampling.logitBias.length > 0 && { tokenBias }),
  };
}

function toTokenLogits(logits: Map<Token, number>): TokenLogits {
  return { tokens: [...logits.keys()], logits: [...logits.values()] };
}
