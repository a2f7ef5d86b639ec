import { join } from 'node:path';
import { getLlama, LlamaGrammarEvaluationState, type LlamaModel, type Token, TokenBias } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Sampling } from '../../../src/contract/sampling.ts';
import type { TextEngine, TextRequest } from '../../../src/engine/engine.ts';
import { loadNativeEngine } from '../../../src/engine/native/engine.ts';
import { greedy } from '../../kit/generation.ts';
import { silentLog } from '../../kit/log.ts';

// Paddock fills the batches itself and draws from the highest logits. What it says must be what node-llama-cpp's own loop says,
// token by token.

const STREAMS = 16;
const TOKENS = 32;
const file = () => join(inject('modelsFolder'), 'tiny.gguf');
const CONTEXT = 512;
const GRAMMAR = 'root ::= "{" [a-z ]+ "}" [0-9]+ "!"';

let engine: TextEngine;
let model: LlamaModel;
let sayPlainly: (prompt: string, sampling: Sampling, grammar: string | null) => Promise<Token[]>;
let dispose: () => Promise<void>;

beforeAll(async () => {
  const options = {
    files: [file()],
    kind: 'chat' as const,
    contextLength: CONTEXT,
    slots: STREAMS,
    threads: 1,
    batchSize: 64,
  };
  engine = await loadNativeEngine(options, 'cpu', silentLog);
  const llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, progressLogs: false });
  model = await llama.loadModel({ modelPath: file() });
  const context = await model.createContext({ sequences: 1, contextSize: CONTEXT, batchSize: 64, threads: 1 });
  const sequence = context.getSequence();
  sayPlainly = async (prompt, sampling, grammar) => {
    await sequence.clearHistory();
    const history = model.tokenize(prompt, true);
    if (model.tokens.shouldPrependBosToken && model.tokens.bos !== null) history.unshift(model.tokens.bos);
    const length = history.length;
    const tokenBias = TokenBias.for(model);
    for (const [token, logit] of sampling.logitBias) tokenBias.set(token as Token, { logit });
    const tokens = sequence.evaluate([...history], {
      ...sampling,
      tokenBias,
      repeatPenalty: {
        punishTokens: () => history.slice(-sampling.repeatLastN),
        maxPunishTokens: sampling.repeatLastN,
        penalty: sampling.repeatPenalty,
        presencePenalty: sampling.presencePenalty,
        frequencyPenalty: sampling.frequencyPenalty,
      },
      ...(grammar !== null && {
        grammarEvaluationState: new LlamaGrammarEvaluationState({
          model,
          grammar: await llama.createGrammar({ grammar }),
        }),
      }),
    });
    for await (const token of tokens) {
      history.push(token);
      if (history.length === length + TOKENS) break;
    }
    return history.slice(length);
  };
  dispose = async () => {
    await model.dispose();
    await llama.dispose();
  };
});
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  await dispose();
});

async function say(prompt: string, sampling: Sampling, grammar: string | null): Promise<number[]> {
  const drawn: number[] = [];
  const request: TextRequest = {
    prompt,
    sampling,
    grammar,
    media: [],
    marks: [],
    stop: [],
    banned: [],
    choices: 1,
    maxTokens: TOKENS,
    logprobs: null,
    cachePrompt: false,
    journal: true,
  };
  await engine.generate(
    request,
    (event) => {
      if (event.kind === 'drawn') drawn.push(event.token);
    },
    new AbortController().signal,
  );
  return drawn;
}

const seeded = { ...greedy, temperature: 0.8, topP: 0.95, topK: 40, repeatPenalty: 1.1, repeatLastN: 64 };
const KINDS: [string, Partial<Sampling>, string | null][] = [
  ['greedy', { ...greedy }, null],
  ['greedy with a repeat penalty', { ...greedy, repeatPenalty: 1.3 }, null],
  ['seeded', seeded, null],
  ['seeded without penalties, with min-p', { ...seeded, repeatPenalty: 1, minP: 0.05 }, null],
  ['seeded with presence and frequency penalties', { ...seeded, presencePenalty: 0.7, frequencyPenalty: 0.4 }, null],
  ['seeded with rewards for what has been said', { ...seeded, repeatPenalty: 0.8, presencePenalty: -1 }, null],
  [
    'seeded with biases',
    {
      ...seeded,
      logitBias: [
        [260, 9],
        [270, 8],
        [300, -50],
      ],
    },
    null,
  ],
  ['seeded among all tokens', { ...seeded, topK: 0, topP: 0.9 }, null],
  ['greedy under a grammar', { ...greedy }, GRAMMAR],
  ['seeded under a grammar', { ...seeded, temperature: 1 }, GRAMMAR],
  ['seeded under a grammar, with biases', { ...seeded, logitBias: [[260, 9]] }, GRAMMAR],
];

describe("the engine says what node-llama-cpp's own loop says", () => {
  it.each(KINDS)('%s, one stream and sixteen', async (_, change, grammar) => {
    const prompts = Array.from({ length: STREAMS }, (_, index) => `stream ${index} ${'of words '.repeat(index % 5)}`);
    const sampling = (index: number): Sampling => ({ ...greedy, ...change, seed: 40 + index });
    const plain: number[][] = [];
    for (const [index, prompt] of prompts.entries()) plain.push(await sayPlainly(prompt, sampling(index), grammar));
    expect(await say(prompts[3] ?? '', sampling(3), grammar)).toEqual(plain[3]);
    const together = await Promise.all(prompts.map((prompt, index) => say(prompt, sampling(index), grammar)));
    expect(together).toEqual(plain);
    expect(new Set(plain.map(String)).size).toBeGreaterThan(grammar === null ? STREAMS / 2 : 1);
  });
});
