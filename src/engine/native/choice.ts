import type { TokenLogprob } from '../../core/events.ts';
import type { Emit, Sampling } from '../../core/runner.ts';
import type { TextRequest } from '../engine.ts';
import { createGeneration, type GenerationOutcome } from './generation.ts';
import {
  createGrammarGate,
  createGrammarState,
  type NativeModel,
  slotPriority,
  type Token,
  toEvaluateOptions,
} from './llama.ts';
import type { Slot } from './slot.ts';
import type { StepLoop } from './step-loop.ts';
import { createLogitsSource, createNativeSource, type Drawn, type TokenSource } from './token-source.ts';
import type { Vocabulary } from './vocabulary.ts';

interface ChoiceContext {
  loaded: NativeModel;
  vocabulary: Vocabulary;
  loop: StepLoop;
  request: TextRequest;
  prompt: Token[];
  emit: Emit;
  signal: AbortSignal;
}

/**
 * Runs one choice of a request on a slot that already has `cached` tokens of the prompt. Returns null if it was
 * cancelled.
 */
export type RunChoice = (
  slot: Slot,
  choice: number,
  cached: number,
  onPrefill: (evaluated: number) => void,
) => Promise<GenerationOutcome | null>;

export function createChoiceRunner(context: ChoiceContext): RunChoice {
  const { vocabulary, loop, request, prompt, emit, signal } = context;
  const marks = vocabulary.specialTokens(request.marks);

  return async (slot, choice, cached, onPrefill) => {
    const history = [...prompt];
    const source = await createSource(context, slot, choice, history);
    return new Promise((resolve, reject) => {
      const generation = createGeneration(
        {
          choice,
          slot,
          prompt,
          cached,
          onPrefill,
          source,
          history,
          textOf: (tokens, before) => vocabulary.textOf(tokens, before, marks),
          stop: request.stop,
          banned: request.banned,
          maxTokens: request.maxTokens,
          toLogprob: (drawn) => toLogprob(drawn, vocabulary),
          emit,
          signal,
        },
        (outcome, error) => (error === undefined ? resolve(outcome) : reject(error)),
      );
      loop.add(generation);
    });
  };
}

/** Uses llama.cpp's samplers if they can do what the request asks, else Paddock's own. */
async function createSource(
  { loaded, vocabulary, request }: ChoiceContext,
  slot: Slot,
  choice: number,
  history: Token[],
): Promise<TokenSource> {
  const { model, llama } = loaded;
  const { sequence } = slot;
  const recent = (count: number) => (count > 0 ? history.slice(-count) : []);
  const evaluationPriority = slotPriority(slot.index);
  const sampling = { ...request.sampling, seed: seedOf(request.sampling.seed, choice) };
  const grammar = request.grammar === null ? undefined : await createGrammarState(loaded, request.grammar);

  if (request.logprobs === null && !needsOwnSamplers(sampling)) {
    const options = toEvaluateOptions(sampling, { model, contextLength: sequence.contextSize, grammar, recent });
    return createNativeSource(sequence, { ...options, evaluationPriority });
  }
  return createLogitsSource({
    sequence,
    evaluationPriority,
    sampling,
    vocabularySize: vocabulary.size,
    grammar: grammar && createGrammarGate(llama, grammar),
    logprobs: request.logprobs,
    isEndOfTurn: (token) => model.isEogToken(token),
    recent,
  });
}

/** True if the request needs a sampler that node-llama-cpp does not have. */
function needsOwnSamplers({ mirostat, typicalP, dynatempRange }: Sampling): boolean {
  return mirostat !== 0 || typicalP !== 1 || dynatempRange !== 0;
}

/** Gives every choice its own seed. The first choice has the seed of the request. */
function seedOf(seed: number, choice: number): number {
  return (seed + choice) % 0xffffffff;
}

function toLogprob({ token, logprob = 0, alternatives = [] }: Drawn, vocabulary: Vocabulary): TokenLogprob {
  const describe = (of: Token, value: number) => {
    const bytes = vocabulary.bytesOf(of);
    return { text: new TextDecoder().decode(Uint8Array.from(bytes)), bytes, logprob: value };
  };
  return {
    ...describe(token, logprob),
    alternatives: alternatives.map((alternative) => describe(alternative.token, alternative.logprob)),
  };
}
