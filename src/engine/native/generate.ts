import { setMaxListeners } from 'node:events';
import { invalidRequest, unsupportedParameter } from '../../contract/errors.ts';
import type { CacheUse, EngineEvent, TokenLogprob } from '../../contract/events.ts';
import type { Log } from '../../contract/log.ts';
import type { Breakers } from '../../sampling/breakers.ts';
import { sum } from '../../utils/sum.ts';
import type { TextEngine, TextRequest } from '../engine.ts';
import { refuseUnknownTokens } from '../logit-bias.ts';
import { type Ahead, createChoiceRunner } from './choice.ts';
import { rememberBreakers } from './draw/known-breakers.ts';
import type { GenerationOutcome } from './generation.ts';
import type { AdapterSet, LoadedAdapters } from './llama/adapters.ts';
import type { Decoder } from './llama/decoder.ts';
import type { MediaReading, Projector } from './llama/media/projector.ts';
import { isTextToken } from './llama/media/token.ts';
import type { LlamaModel } from './llama/model.ts';
import type { Token } from './llama/tokens/token.ts';
import type { Vocabulary } from './llama/tokens/vocabulary.ts';
import { tokenizeWithMedia } from './media-prompt.ts';
import type { Miss } from './prefix/cache-miss.ts';
import { watchEarlyChanges } from './prefix/early-changes.ts';
import { createPrefix, type Prefix, scopeAlone, scopeWithAdapters } from './prefix/prefix.ts';
import type { PrefixStore, Prepared, Slot } from './prefix/prefix-store.ts';
import { findTurnEnds } from './prefix/turn-ends.ts';
import type { PlacedPiece } from './prompt-media.ts';
import type { StepLoop } from './step/step-loop.ts';

/** The number of tokens before and after a cache miss whose text is reported. */
const SHOWN_TOKENS = 12;
const NO_MARKS: ReadonlySet<Token> = new Set();

interface GenerateContext {
  model: LlamaModel;
  adapters: LoadedAdapters;
  decoder: Decoder;
  vocabulary: Vocabulary;
  /** Reads the images and recordings of requests, if the model can take any. */
  projector?: Projector | undefined;
  /** True if nothing may be encoded while a forward pass is under way. */
  encodesAlone: boolean;
  /** Moves all generations of the context forward together. */
  loop: StepLoop;
  store: PrefixStore;
  ahead: Ahead;
  log: Log;
}

/**
 * Makes the native engine's `generate`. It throws a 400 `ApiError` for media that the model cannot take, for a bias on
 * an unknown token and for a LoRA adapter that is not loaded, a 503 `ApiError` if there is no memory for the prompt, and
 * a plain error if all slots are busy or a forward pass fails.
 */
export function createGenerate(context: GenerateContext): TextEngine['generate'] {
  const { adapters: loaded, log, projector, encodesAlone, ...engine } = context;
  const { decoder, vocabulary, store, loop } = engine;
  const { contextLength } = decoder;
  const noteMiss = watchEarlyChanges((token, promptTokens) =>
    log.warn('prompts change early in every turn, so the cache is of little use: is there a time or an id?', {
      token,
      promptTokens,
    }),
  );
  const breakersOf = rememberBreakers(vocabulary);
  let alone = 0;

  /** Before a slot is chosen: loading or copying needs room for the whole prompt. */
  const makeRoom = async (length: number) => {
    if (decoder.lacks(length)) await loop.between(() => decoder.reserve(length));
  };

  /** Has a piece encoded between two steps, if that is necessary. */
  const placed = (piece: PlacedPiece): PlacedPiece => {
    if (!encodesAlone) return piece;
    const encode: PlacedPiece['encode'] = (signal) =>
      new Promise((resolve, reject) => {
        void loop.between(() => piece.encode(signal).then(resolve, reject));
      });
    return { ...piece, encode };
  };

  const generate = async (
    request: TextRequest,
    media: readonly MediaReading[],
    emit: (event: EngineEvent) => void,
    signal: AbortSignal,
  ): Promise<void> => {
    const adapters = loaded.setOf(request.lora);
    const tokenized = await tokenizeWithMedia(vocabulary, request.prompt, media, signal, contextLength);
    if (!tokenized || signal.aborted) return;
    const promptTokens = 'tokens' in tokenized ? tokenized.tokens.length : tokenized.overflow;
    if ('overflow' in tokenized || promptTokens >= contextLength) {
      emit({ kind: 'overflow', promptTokens, contextLength });
      return;
    }
    refuseLargePieces(tokenized.pieces, decoder.batchSize);
    const breakers = await breakersOf(request.sampling);
    if (signal.aborted) return;
    await makeRoom(promptTokens + longestReplay(request));
    const common = scopeWithAdapters(request.cacheScope ?? '', adapters.key);
    const scope = usesCache(request) ? common : scopeAlone(common, ++alone);
    const prompt = createPrefix(scope, tokenized.tokens);
    const scoresFrom = request.promptLogprobs && !request.resume ? tokenized.added : undefined;
    const slots = store.take(prompt, request.choices, request.cacheKey);
    const taken = new Set(slots);
    const free = (slot: Slot) => {
      if (taken.delete(slot)) store.free(slot, common);
    };
    try {
      await generateChoices({
        ...engine,
        noteMiss,
        request,
        adapters,
        breakers,
        prompt,
        pieces: tokenized.pieces.map(placed),
        scoresFrom,
        slots,
        free,
        emit,
        signal,
      });
    } finally {
      slots.forEach(free);
    }
  };

  return async (request, emit, signal) => {
    refuseUnknownTokens(request.sampling, vocabulary.size);
    if (request.media.length > 0 && !projector) throw noMedia();
    if (request.media.length > 0 && request.promptLogprobs) throw noMediaLogprobs();
    const media: MediaReading[] = [];
    try {
      for (const one of request.media) {
        if (projector) media.push(await projector.read(one));
        if (signal.aborted) return;
      }
      await generate(request, media, emit, signal);
    } finally {
      for (const { close } of media) close();
    }
  };
}

/** False if the request asks for the log probabilities of its prompt: these need every prompt token evaluated. */
function usesCache({ cachePrompt, promptLogprobs }: TextRequest): boolean {
  return cachePrompt && !promptLogprobs;
}

/** Returns the most tokens that a previous engine drew for one choice. */
function longestReplay({ resume = [] }: TextRequest): number {
  return Math.max(0, ...resume.map(({ tokens }) => tokens.length));
}

/** Throws a 400 `ApiError` for an image that has to be evaluated in one pass and is larger than a pass. */
function refuseLargePieces(pieces: readonly PlacedPiece[], most: number): void {
  const large = pieces.find(({ whole, tokens }) => whole && tokens.length > most);
  if (!large) return;
  throw invalidRequest(
    `An image of this conversation has ${large.tokens.length} tokens, more than the ${most} of one pass.`,
    'messages',
    'invalid_media',
  );
}

function noMediaLogprobs() {
  return unsupportedParameter('logprobs', 'logprobs with echo are not told for a prompt with images or recordings.');
}

function noMedia() {
  return unsupportedParameter('messages', 'The model takes no images and no audio.');
}

interface Run extends Omit<GenerateContext, 'adapters' | 'log' | 'projector' | 'encodesAlone'> {
  noteMiss: (miss: Miss | null, promptTokens: number) => void;
  request: TextRequest;
  adapters: AdapterSet;
  /** The breakers of DRY; undefined if DRY is off. */
  breakers: Breakers | undefined;
  prompt: Prefix;
  /** The images and recordings of the prompt. */
  pieces: readonly PlacedPiece[];
  /** The index of the first prompt token whose log probability is returned; undefined returns none. */
  scoresFrom: number | undefined;
  slots: Slot[];
  /** Gives a slot back. */
  free: (slot: Slot) => void;
  emit: (event: EngineEvent) => void;
  signal: AbortSignal;
}

/**
 * Runs all choices of a request that are not finished. The first slot evaluates the prompt, and the other slots copy it
 * from there. A slot that has finished a choice takes the next one.
 */
async function generateChoices(run: Run): Promise<void> {
  if (run.slots.length === 0) throw new Error('a generation was started while all slots were busy');
  const { request, prompt, scoresFrom, slots, free, store, vocabulary, emit, signal } = run;
  const startedAt = performance.now();
  // Each waiting slot adds a listener, which may be more than Node's default limit.
  setMaxListeners(0, signal);
  const outcomes: GenerationOutcome[] = [];
  const { resume = [] } = request;
  /**
   * Returns the tokens to evaluate for a choice: the prompt, and the tokens of the reply that a previous engine drew.
   */
  const promptOf = (choice: number) => {
    const drawn = resume[choice]?.tokens ?? [];
    return drawn.length === 0 ? prompt : createPrefix(prompt.scope, [...prompt.tokens, ...drawn]);
  };
  const runChoice = createChoiceRunner(run);
  const choices = Array.from({ length: request.choices }, (_, choice) => choice).filter(
    (choice) => !resume[choice]?.finished,
  );
  const waiting = choices.values();
  const turnEnds = usesCache(request) ? findTurnEnds(prompt.tokens, vocabulary.isControl) : [];
  /** The origin of the cached tokens of the first choice's prompt. */
  let use: CacheUse | undefined;

  const progressOf = (cache: number, total: number) => (processed: number, scores?: TokenLogprob[]) => {
    const logprobs = processed === total ? scores : undefined;
    const timeMs = performance.now() - startedAt;
    emit({ kind: 'progress', cache, processed, total, timeMs, ...(logprobs && { logprobs }) });
  };

  const serveSlot = async (slot: Slot) => {
    for (const choice of waiting) {
      const leads = choice === choices[0];
      const own = promptOf(choice);
      const prepared = await store.prepare(slot, own, signal, turnEnds);
      if (!prepared || signal.aborted) return;
      const cached = slot.sequence.length;
      const report = leads ? progressOf(cached, own.tokens.length) : () => {};
      if (leads) {
        use = describeUse(prepared, own.tokens, vocabulary);
        run.noteMiss(prepared.miss, own.tokens.length);
      }
      report(cached);
      const advance = (evaluated: number, scores?: TokenLogprob[]) => {
        report(evaluated, scores);
        return store.advanced(slot);
      };
      const outcome = await runChoice(slot, choice, own.tokens, cached, advance, leads ? scoresFrom : undefined);
      if (outcome) outcomes.push(outcome);
    }
  };
  // Given back at once: others may wait for what a slot was to evaluate.
  const serve = (slot: Slot) => serveSlot(slot).finally(() => free(slot));
  for (const result of await Promise.allSettled(slots.map(serve))) {
    if (result.status === 'rejected') throw result.reason;
  }
  if (outcomes.length < choices.length) return;
  const firstTokenAt = Math.min(...outcomes.map((outcome) => outcome.firstTokenAt));
  const guesses = {
    made: sum(outcomes.map(({ guesses }) => guesses.made)),
    right: sum(outcomes.map(({ guesses }) => guesses.right)),
  };
  const before = resume.filter(({ finished }) => finished).map(({ tokens }) => tokens.length);
  emit({
    kind: 'done',
    promptTokens: prompt.tokens.length,
    cachedTokens: use ? use.slot + use.copied + use.ram + use.disk : 0,
    ...(use && usesCache(request) && !request.resume && { cache: use }),
    completionTokens: sum([...before, ...outcomes.map(({ tokens }) => tokens)]),
    ...(guesses.made > 0 && { guesses }),
    promptMs: firstTokenAt - startedAt,
    predictedMs: performance.now() - firstTokenAt,
  });
}

/**
 * Describes where the cached tokens of a prompt came from. After a cache miss it has the prompt's text around that
 * place.
 */
function describeUse({ miss, ...taken }: Prepared, prompt: readonly Token[], vocabulary: Vocabulary): CacheUse {
  if (!miss) return taken;
  const { at, why } = miss;
  const textOf = (from: number, to: number) =>
    vocabulary.textOf(prompt.slice(from, to).filter(isTextToken), [], NO_MARKS);
  const before = textOf(Math.max(0, at - SHOWN_TOKENS), at);
  return { ...taken, miss: { at, why, before, after: textOf(at, at + SHOWN_TOKENS) } };
}
