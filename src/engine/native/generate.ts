import { unsupportedParameter } from '../../core/errors.ts';
import type { EngineEvent, TokenLogprob } from '../../core/events.ts';
import type { TextEngine, TextRequest } from '../engine.ts';
import { refuseUnknownTokens } from '../logit-bias.ts';
import { type Ahead, createChoiceRunner } from './choice.ts';
import type { Decoder } from './decoder.ts';
import type { GenerationOutcome } from './generation.ts';
import type { NativeModel, Token } from './llama.ts';
import { chooseSlot, createSlots, prepareSlot, type Slot, shareCache } from './slot.ts';
import { createStepLoop, type StepDriver, type StepLoop } from './step-loop.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Makes the native engine's `generate`. One step loop moves all generations of a context forward together. */
export function createGenerate(
  loaded: NativeModel,
  decoder: Decoder,
  vocabulary: Vocabulary,
  driver: StepDriver,
  ahead: Ahead,
): TextEngine['generate'] {
  const { contextLength } = decoder;
  const slots = createSlots(decoder);
  const loop = createStepLoop(driver);

  return async (request, emit, signal) => {
    if (request.media.length > 0) throw noMedia();
    refuseUnknownTokens(request.sampling, vocabulary.size);
    const tokenized = await vocabulary.promptTokens(request.prompt, signal, contextLength);
    if (!tokenized || signal.aborted) return;
    const prompt = 'tokens' in tokenized ? tokenized.tokens : [];
    const promptTokens = 'tokens' in tokenized ? prompt.length : tokenized.overflow;
    if (promptTokens >= contextLength) {
      emit({ kind: 'overflow', promptTokens, contextLength });
      return;
    }
    // The log probabilities of a prompt are known while it is evaluated, and only then.
    const effective = { ...request, cachePrompt: request.cachePrompt && !request.promptLogprobs };
    const taken = takeSlots(slots, prompt, effective);
    const added = 'tokens' in tokenized ? tokenized.added : 0;
    const scoresFrom = request.promptLogprobs && !request.resume ? added : undefined;
    try {
      const run = {
        loaded,
        decoder,
        vocabulary,
        loop,
        ahead,
        request: effective,
        prompt,
        scoresFrom,
        slots: taken,
        emit,
        signal,
      };
      await generateChoices(run);
    } finally {
      for (const slot of taken) slot.busy = false;
    }
  };
}

function noMedia() {
  return unsupportedParameter('messages', 'The native engine takes no images and no audio.');
}

/**
 * Takes a free slot for each choice of the request, as many as there are, but at least one. The first is the slot whose
 * cache fits the prompt best.
 */
function takeSlots(slots: Slot[], prompt: Token[], { choices, cachePrompt }: TextRequest): Slot[] {
  const taken: Slot[] = [];
  while (taken.length < choices) {
    const index = chooseSlot(
      slots.map(({ busy, usedAt, sequence }) => ({
        busy,
        usedAt,
        cached: sequence.length,
        shared: cachePrompt && taken.length === 0 ? sequence.shared(prompt) : 0,
      })),
    );
    const slot = index === undefined ? undefined : slots[index];
    if (!slot) break;
    slot.busy = true;
    slot.usedAt = performance.now();
    taken.push(slot);
  }
  if (taken.length === 0) throw new Error('a generation was started while all slots were busy');
  return taken;
}

interface Run {
  loaded: NativeModel;
  decoder: Decoder;
  vocabulary: Vocabulary;
  loop: StepLoop;
  ahead: Ahead;
  request: TextRequest;
  prompt: Token[];
  /** The place of the first prompt token to tell the log probability of; undefined tells none. */
  scoresFrom: number | undefined;
  slots: Slot[];
  emit: (event: EngineEvent) => void;
  signal: AbortSignal;
}

/**
 * Runs all choices of a request that are not finished. The first slot evaluates the prompt, the others copy its cache; each
 * slot takes the next choice when it has finished one.
 */
async function generateChoices(run: Run): Promise<void> {
  const { request, prompt, scoresFrom, slots, emit, signal } = run;
  const [lead, ...others] = slots as [Slot, ...Slot[]];
  const startedAt = performance.now();
  const outcomes: GenerationOutcome[] = [];
  const { resume = [] } = request;
  const promptOf = (choice: number) => [...prompt, ...((resume[choice]?.tokens ?? []) as Token[])];
  const runChoice = createChoiceRunner({ ...run, promptOf });
  const choices = Array.from({ length: request.choices }, (_, choice) => choice).filter(
    (choice) => !resume[choice]?.finished,
  );
  const waiting = choices.values();
  let onPrompted = () => {};
  const prompted = new Promise<void>((resolve) => {
    onPrompted = resolve;
  });

  const leadPrompt = promptOf(choices[0] ?? 0);
  const cached = await prepareSlot(lead, leadPrompt, request.cachePrompt);
  const reportProgress = (processed: number, scores?: TokenLogprob[]) => {
    const total = leadPrompt.length;
    const logprobs = processed === total ? scores : undefined;
    const timeMs = performance.now() - startedAt;
    emit({ kind: 'progress', cache: cached, processed, total, timeMs, ...(logprobs && { logprobs }) });
    if (processed === total) onPrompted();
  };

  const serveSlot = async (slot: Slot) => {
    for (const choice of waiting) {
      if (signal.aborted) return;
      const leads = choice === choices[0];
      const known = leads ? cached : await prepareSlot(slot, promptOf(choice), true);
      const outcome = leads
        ? await runChoice(slot, choice, known, reportProgress, scoresFrom)
        : await runChoice(slot, choice, known, () => {});
      if (outcome) outcomes.push(outcome);
    }
  };
  reportProgress(cached);
  const leading = serveSlot(lead);
  const following = others.map(async (slot) => {
    await Promise.race([prompted, leading]);
    await shareCache(lead, slot, prompt);
    await serveSlot(slot);
  });
  for (const result of await Promise.allSettled([leading, ...following])) {
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
    promptTokens: prompt.length,
    cachedTokens: cached,
    completionTokens: sum([...before, ...outcomes.map(({ tokens }) => tokens)]),
    ...(guesses.made > 0 && { guesses }),
    promptMs: firstTokenAt - startedAt,
    predictedMs: performance.now() - firstTokenAt,
  });
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
