import type { EngineEvent, TokenLogprob } from '../../contract/events.ts';
import type { Sampling } from '../../contract/sampling.ts';
import { isGreedy } from '../../sampling/sampler.ts';
import type { TextRequest } from '../engine.ts';
import type { DraftModel } from './draw/draft-model.ts';
import { createGuide, type Guide } from './draw/guide.ts';
import { createPromptLookup } from './draw/prompt-lookup.ts';
import { createPromptScorer } from './draw/prompt-scores.ts';
import { createSpeculation } from './draw/speculation.ts';
import {
  consideredTokens,
  createLogitsDrawer,
  createNativeDrawer,
  type Drawn,
  type TokenDrawer,
} from './draw/token-drawer.ts';
import { createTokenSource, type TokenSource } from './draw/token-source.ts';
import { createGeneration, type GenerationOutcome } from './generation.ts';
import type { Decoder } from './llama/decoder.ts';
import {
  canRewind,
  createAddonSampler,
  createGrammarGate,
  createGrammarState,
  type NativeModel,
  type Token,
} from './llama/llama.ts';
import { createLogitsReader } from './llama/logits.ts';
import type { Vocabulary } from './llama/vocabulary.ts';
import type { Slot } from './prefix/prefix-store.ts';
import type { PassTimes } from './step/pass-times.ts';
import type { StepLoop } from './step/step-loop.ts';

/** What decides how many tokens of a reply go into one pass. */
export interface Ahead {
  times: PassTimes;
  /** True if every token is to be drawn by itself. */
  oneByOne: boolean;
  draft?: DraftModel | undefined;
}

interface ChoiceContext {
  loaded: NativeModel;
  decoder: Decoder;
  vocabulary: Vocabulary;
  loop: StepLoop;
  ahead: Ahead;
  request: TextRequest;
  emit: (event: EngineEvent) => void;
  signal: AbortSignal;
}

/**
 * Runs one choice of a request on a slot that already has `cached` tokens of the prompt. `prompt` has the tokens to evaluate: the
 * prompt, and what another engine had drawn of the reply. Returns null if it was cancelled.
 */
export type RunChoice = (
  slot: Slot,
  choice: number,
  prompt: readonly Token[],
  cached: number,
  onPrefill: (evaluated: number, scores?: TokenLogprob[]) => Promise<void>,
  /** The place of the first prompt token to tell the log probability of, and of all after it; undefined tells none. */
  scoresFrom?: number,
) => Promise<GenerationOutcome | null>;

export function createChoiceRunner(context: ChoiceContext): RunChoice {
  const { vocabulary, loop, request, emit, signal } = context;
  const marks = vocabulary.specialTokens(request.marks);

  return async (slot, choice, prompt, cached, onPrefill, scoresFrom) => {
    const { sequence } = slot;
    const { decoder, loaded } = context;
    const { tokens = [], logprobs = [] } = request.resume?.[choice] ?? {};
    const replayed = { tokens: tokens as Token[], logprobs };
    const source = await createSource(context, choice, prompt, replayed.tokens);
    const describe = (drawn: Drawn) => toLogprob(drawn, vocabulary);
    const first = scoresFrom === 0 ? prompt[0] : undefined;
    const scorer =
      scoresFrom === undefined
        ? undefined
        : createPromptScorer(createLogitsReader(loaded, decoder), first, request.logprobs ?? 0, describe);
    return new Promise((resolve, reject) => {
      const generation = createGeneration(
        {
          choice,
          sequence,
          prompt,
          before: request.continues ? textBefore(context, prompt.slice(0, prompt.length - replayed.tokens.length)) : [],
          replayed,
          cached,
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
          signal,
        },
        (outcome, error) => (error === undefined ? resolve(outcome) : reject(error)),
      );
      loop.add(generation);
    });
  };
}

/** The tokens of the text that a reply goes on with. Behind a control token a new text begins, but not behind that of a gap to fill. */
function textBefore({ loaded: { model }, vocabulary }: ChoiceContext, prompt: Token[]): Token[] {
  const last = prompt.at(-1);
  const begins = last !== undefined && vocabulary.isControl(last) && last !== model.tokens.infill.middle;
  return begins ? [] : prompt;
}

/** Guesses need a model whose cache can drop its latest tokens. */
async function createSource(
  context: ChoiceContext,
  choice: number,
  prompt: readonly Token[],
  drawn: Token[],
): Promise<TokenSource> {
  const {
    decoder,
    request,
    ahead: { times, oneByOne, draft: model },
  } = context;
  const history = [...prompt];
  const drawer = await createDrawer(context, choice, history, drawn);
  const guide = oneByOne ? undefined : createReplyGuide(context, prompt, drawn);
  const mostPerStep = Math.floor(decoder.batchSize / decoder.sequences);
  const left = (request.maxTokens ?? Number.POSITIVE_INFINITY) - drawn.length;
  const guesses = canRewind(context.loaded) && !oneByOne;
  const draft = model && { model, history };
  return createTokenSource({
    drawer,
    guide,
    forces: mayForce(request),
    times,
    speculation: guesses ? createSpeculation(times, { guide, lookup: createPromptLookup(history), draft }) : undefined,
    mostPerStep,
    mostAtFirst: Math.min(left, decoder.contextLength - prompt.length) - 1,
  });
}

/**
 * True if tokens that can come in only one way need not be drawn. They have to where their probabilities are asked for, where a bias
 * may speak against their boundaries, and where what is drawn decides the later draws: with a seed, which is to give the same tokens
 * again, and with mirostat.
 */
function mayForce({ sampling, logprobs, promptLogprobs }: TextRequest): boolean {
  const { mirostat, logitBias, anySeed } = sampling;
  const drawsFreely = anySeed ?? isGreedy(sampling);
  return drawsFreely && mirostat === 0 && logprobs === null && !promptLogprobs && logitBias.length === 0;
}

/** Follows the reply in its grammar, if it has one, from behind what another engine had drawn. */
function createReplyGuide(
  { loaded, vocabulary, request }: ChoiceContext,
  prompt: readonly Token[],
  drawn: Token[],
): Guide | undefined {
  if (request.grammar === null) return undefined;
  const { model } = loaded;
  const marks = vocabulary.specialTokens(request.marks);
  const mayWrite = (token: Token) => !model.isSpecialToken(token) || (marks.has(token) && !model.isEogToken(token));
  const last = prompt[prompt.length - drawn.length - 1];
  const guide = createGuide(request.grammar, last, { ...vocabulary, mayWrite });
  for (const token of drawn) guide?.take(token);
  return guide;
}

/**
 * Our samplers, where the highest logits are enough for them or llama.cpp lacks what is asked for; else llama.cpp's, which look at
 * all. A reply that another engine had begun goes on as that engine would have gone on: the grammar takes in what was drawn, and as
 * many random numbers are spent. Only mirostat's surprise starts anew.
 */
async function createDrawer(
  { loaded, decoder, vocabulary, request }: ChoiceContext,
  choice: number,
  history: Token[],
  drawn: Token[],
): Promise<TokenDrawer> {
  const { model, llama } = loaded;
  const { contextLength } = decoder;
  const sampling = { ...request.sampling, seed: seedOf(request.sampling.seed, choice) };
  const isEndOfTurn = (token: Token) => model.isEogToken(token);
  const common = { sampling, contextLength, history, isEndOfTurn };
  const grammar =
    request.grammar === null ? undefined : createGrammarGate(llama, await createGrammarState(loaded, request.grammar));

  if (grammar) for (const token of drawn) grammar.accept(token);

  // llama.cpp's random numbers can't be spent in advance; those of our samplers are the same.
  const goesOn = drawn.length > 0 && !isGreedy(sampling);
  const exact = consideredTokens(sampling, contextLength) !== null;
  if (!exact && request.logprobs === null && !needsOwnSamplers(sampling) && !goesOn) {
    return createNativeDrawer({ ...common, decoder, sampler: createAddonSampler(loaded), grammar });
  }
  return createLogitsDrawer({
    ...common,
    reader: createLogitsReader(loaded, decoder),
    spentDraws: drawn.length,
    vocabularySize: vocabulary.size,
    grammar,
    logprobs: request.logprobs,
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
