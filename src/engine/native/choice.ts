import type { EngineEvent, TokenLogprob } from '../../contract/events.ts';
import { type Sampling, seedAfter } from '../../contract/sampling.ts';
import type { Breakers } from '../../sampling/breakers.ts';
import { isGreedy } from '../../sampling/sampler.ts';
import type { TextRequest } from '../engine.ts';
import type { HeadDrafter } from './draft-heads/head-drafter.ts';
import type { DraftLength } from './draw/draft-length.ts';
import type { DraftModel } from './draw/draft-model.ts';
import { createGuide, type Guide } from './draw/guide.ts';
import { createPromptLookup } from './draw/prompt-lookup.ts';
import { createPromptScorer } from './draw/prompt-scores.ts';
import { createSpeculation, type Draft, type GuessRecords } from './draw/speculation.ts';
import { createThoughtGuide } from './draw/thought-guide.ts';
import {
  consideredTokens,
  createLogitsDrawer,
  createNativeDrawer,
  type Drawn,
  type TokenDrawer,
} from './draw/token-drawer.ts';
import { createTokenSource, type TokenSource } from './draw/token-source.ts';
import { createWholeDrawer, needsAllLogits } from './draw/whole-drawer.ts';
import { createGeneration, type GenerationOutcome } from './generation.ts';
import type { AdapterSet } from './llama/adapters.ts';
import { createCandidates } from './llama/candidates.ts';
import type { Decoder } from './llama/decoder.ts';
import { createGrammarGate } from './llama/grammar.ts';
import { isTextToken } from './llama/media/token.ts';
import type { LlamaModel } from './llama/model.ts';
import { createSamplerChain } from './llama/sampler-chain.ts';
import type { Token } from './llama/tokens/token.ts';
import { possibleTokens } from './llama/tokens/token-index.ts';
import type { Vocabulary } from './llama/tokens/vocabulary.ts';
import type { Slot } from './prefix/prefix-store.ts';
import { createPromptMedia, type PlacedPiece } from './prompt-media.ts';
import type { PassTimes } from './step/pass-times.ts';
import type { StepLoop } from './step/step-loop.ts';

/** The settings and measurements that decide how many tokens of a reply go into one pass. */
export interface Ahead {
  times: PassTimes;
  records: GuessRecords;
  /** True if every token is drawn by itself, without guesses and forced tokens. */
  oneByOne: boolean;
  draft?: DraftModel | undefined;
  /** The draft head, if the model has one: its EAGLE-3 draft model, or its MTP layer and no draft model. */
  head?: { drafter: HeadDrafter; length: DraftLength } | undefined;
}

interface ChoiceContext {
  model: LlamaModel;
  decoder: Decoder;
  vocabulary: Vocabulary;
  loop: StepLoop;
  ahead: Ahead;
  request: TextRequest;
  /** The LoRA adapters of the request. */
  adapters: AdapterSet;
  /** The breakers of DRY; undefined if DRY is off. */
  breakers: Breakers | undefined;
  /** The images and recordings of the prompt. */
  pieces: readonly PlacedPiece[];
  emit: (event: EngineEvent) => void;
  signal: AbortSignal;
}

/**
 * Runs one choice of a request on a slot that already holds `cached` tokens of `prompt`: the tokens of the prompt,
 * followed by the tokens of the reply that a previous engine drew. Resolves to null if it was cancelled. Throws if a
 * forward pass or a draw fails.
 */
export type RunChoice = (
  slot: Slot,
  choice: number,
  prompt: readonly Token[],
  cached: number,
  onPrefill: (evaluated: number, scores?: TokenLogprob[]) => Promise<void>,
  /** The index of the first prompt token whose log probability is returned; undefined returns none. */
  scoresFrom?: number,
) => Promise<GenerationOutcome | null>;

/** Returns the function that runs the choices of one request. */
export function createChoiceRunner(context: ChoiceContext): RunChoice {
  const { vocabulary, loop, request, adapters, emit, signal } = context;
  const marks = vocabulary.specialTokens(request.marks);

  return async (slot, choice, prompt, cached, onPrefill, scoresFrom) => {
    const { sequence } = slot;
    const { decoder } = context;
    const { tokens = [], logprobs = [] } = request.resume?.[choice] ?? {};
    const replayed = { tokens: tokens, logprobs };
    const source = createSource(context, choice, prompt, replayed.tokens, sequence.id);
    const describe = (drawn: Drawn) => toLogprob(drawn, vocabulary);
    const first = scoresFrom === 0 ? prompt[0] : undefined;
    const scorer =
      scoresFrom === undefined
        ? undefined
        : createPromptScorer(decoder, decoder.outputs, first, request.logprobs ?? 0, describe);
    return new Promise((resolve, reject) => {
      const generation = createGeneration(
        {
          choice,
          sequence,
          prompt,
          before: request.continues ? textBefore(context, prompt.slice(0, prompt.length - replayed.tokens.length)) : [],
          replayed,
          cached,
          media: context.pieces.length > 0 ? createPromptMedia(context.pieces, signal) : undefined,
          scorer,
          onPrefill: (evaluated) => onPrefill(evaluated, scorer?.told),
          pauseAt: () => slot.pauseAt,
          source,
          textOf: (tokens, before) => vocabulary.textOf(tokens, before, marks),
          stop: request.stop,
          banned: request.banned,
          maxTokens: request.maxTokens,
          toLogprob: describe,
          journal: request.journal ?? false,
          emit,
          adapters,
          signal,
        },
        (outcome, error) => (error === undefined ? resolve(outcome) : reject(error)),
      );
      loop.add(generation);
    });
  };
}

/**
 * Returns the tokens of the text that a reply continues. After a control token a new text begins, except after the one
 * of infilling.
 */
function textBefore({ model, vocabulary }: ChoiceContext, prompt: readonly Token[]): Token[] {
  const last = prompt.at(-1);
  const begins = last !== undefined && vocabulary.isControl(last) && last !== model.tokenizer.marks.fimMiddle;
  return begins ? [] : prompt.filter(isTextToken);
}

/** A guess is no longer than what the model can take back: wrong guesses have to be dropped. */
function createSource(
  context: ChoiceContext,
  choice: number,
  prompt: readonly Token[],
  drawn: Token[],
  sequence: number,
): TokenSource {
  const { decoder, request, ahead } = context;
  const { times, records, oneByOne } = ahead;
  const history = prompt.filter(isTextToken);
  const replyGuide = oneByOne ? undefined : createReplyGuide(context, prompt, drawn);
  const guide = createThinkingGuide(context, drawn) ?? replyGuide;
  const drawer = createDrawer(context, choice, history, drawn, guide);
  const mostPerStep = Math.floor(decoder.batchSize / decoder.sequences);
  const left = (request.maxTokens ?? Number.POSITIVE_INFINITY) - drawn.length;
  const guesses = decoder.takesBack > 0 && !oneByOne;
  const draft = createDraft(ahead, history, sequence);
  return createTokenSource({
    drawer,
    guide,
    forces: request.thinking !== undefined || mayForce(request),
    times,
    speculation: guesses
      ? createSpeculation(times, { guide, lookup: createPromptLookup(history), draft }, records)
      : undefined,
    mostGuessed: decoder.takesBack,
    mostPerStep,
    mostAtFirst: Math.min(left, decoder.contextLength - prompt.length) - 1,
  });
}

/** Makes what guesses the tokens of a reply with a model, if there is one. `history` has the latest token last. */
function createDraft({ draft, head }: Ahead, history: readonly Token[], sequence: number): Draft | undefined {
  if (draft)
    return {
      tokenMs: () => draft.tokenMs ?? 0,
      guess: (count) => draft.guess(history, count),
    };
  if (!head) return undefined;
  const { drafter, length } = head;
  return {
    length: {
      ...length,
      get share() {
        return length.share;
      },
      choose(...pass) {
        const chosen = length.choose(...pass);
        if (chosen === 0) drafter.noteIdle();
        return chosen;
      },
      note(guessed, right) {
        length.note(guessed, right);
        if (guessed > 0) drafter.noteRight(right);
      },
    },
    tokenMs: () => drafter.tokenMs(1),
    async guess(count, pending) {
      const drawn = history.at(-1);
      // It goes on from the hidden row before this token.
      return pending === 1 && drawn !== undefined ? drafter.guess(sequence, drawn, count) : [];
    },
  };
}

/**
 * True if tokens that the grammar forces need not be drawn. They are drawn if the request asks for probabilities; if it
 * has a logit bias, which may favour other boundaries between the same characters; and if each draw decides later ones:
 * with a seed, which has to give the same tokens again, and with mirostat.
 */
function mayForce({ sampling, logprobs, promptLogprobs }: TextRequest): boolean {
  const { mirostat, logitBias, anySeed } = sampling;
  const drawsFreely = anySeed ?? isGreedy(sampling);
  return drawsFreely && mirostat === 0 && logprobs === null && !promptLogprobs && logitBias.length === 0;
}

/** Counts the tokens of reasoning, if they have a limit. Begins after the tokens that a previous engine drew. */
function createThinkingGuide({ vocabulary, request }: ChoiceContext, drawn: Token[]): Guide | undefined {
  const guide = request.thinking && createThoughtGuide(request.thinking, vocabulary);
  for (const token of drawn) guide?.take(token);
  return guide;
}

/** Follows the reply in its grammar, if it has one. Begins after the tokens that a previous engine drew. */
function createReplyGuide(
  { model, vocabulary, request }: ChoiceContext,
  prompt: readonly Token[],
  drawn: Token[],
): Guide | undefined {
  if (request.grammar === null) return undefined;
  const { isSpecial, isEndOfTurn } = model.tokenizer;
  const marks = vocabulary.specialTokens(request.marks);
  const mayWrite = (token: Token) => !isSpecial(token) || (marks.has(token) && !isEndOfTurn(token));
  const last = prompt[prompt.length - drawn.length - 1];
  const before = last !== undefined && isTextToken(last) ? last : undefined;
  const guide = createGuide(request.grammar, before, { ...vocabulary, mayWrite });
  for (const token of drawn) guide?.take(token);
  return guide;
}

/**
 * Chooses between Paddock's samplers and llama.cpp's. Paddock's are used if the highest logits are enough for them, or
 * if the chain of llama.cpp's samplers lacks one; llama.cpp's look at all logits. A reply that a previous engine began continues as
 * it would have there: the grammar accepts the drawn tokens, and as many random numbers are skipped. Only mirostat's
 * surprise starts anew.
 */
function createDrawer(
  { model, decoder, request, vocabulary, breakers }: ChoiceContext,
  choice: number,
  history: Token[],
  drawn: Token[],
  guide: Guide | undefined,
): TokenDrawer {
  const { contextLength } = decoder;
  const { size, isEndOfTurn } = model.tokenizer;
  // Every choice has its own seed. The first choice has the seed of the request.
  const sampling = { ...request.sampling, seed: seedAfter(request.sampling.seed, choice) };
  const grammar = request.grammar === null ? undefined : createGrammarGate(model, request.grammar);
  if (grammar) for (const token of drawn) grammar.accept(token);
  const makeCandidates = () => createCandidates(size);
  const possible = async () => {
    const progress = guide?.progress;
    return progress ? possibleTokens(await vocabulary.tokenIndex(), progress) : null;
  };
  const common = { source: decoder, sampling, contextLength, history, isEndOfTurn, grammar, makeCandidates, possible };

  // llama.cpp's random numbers cannot be skipped. Paddock's samplers draw the same numbers and can skip.
  const goesOn = drawn.length > 0 && !isGreedy(sampling);
  const exact = consideredTokens(sampling, contextLength) !== null;
  if (!exact && request.logprobs === null && !needsOwnSamplers(sampling) && !goesOn) {
    return createNativeDrawer({
      ...common,
      chain: createSamplerChain(model.library, sampling, size, contextLength, history),
    });
  }
  const create = !exact && needsAllLogits(sampling) ? createWholeDrawer : createLogitsDrawer;
  return create({
    ...common,
    spentDraws: drawn.length,
    vocabularySize: size,
    logprobs: request.logprobs,
    breakers,
  });
}

/** True if the request needs a sampler that is not in the chain of llama.cpp's samplers. */
function needsOwnSamplers(sampling: Sampling): boolean {
  const { mirostat, typicalP, dynatempRange } = sampling;
  return mirostat !== 0 || typicalP !== 1 || dynatempRange !== 0 || needsAllLogits(sampling);
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
