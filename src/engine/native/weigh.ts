import { contextLengthExceeded } from '../../contract/errors.ts';
import type { TokenLogprob } from '../../contract/events.ts';
import type { ReplyWeights } from '../../contract/questions.ts';
import type { Answers } from '../answers.ts';
import { spellingsOf, weighSpellings } from '../label-tree.ts';
import { readTokens } from './draw/read-logits.ts';
import type { TokenSource } from './draw/token-source.ts';
import { createGeneration } from './generation.ts';
import { NO_ADAPTERS } from './llama/adapters.ts';
import type { Decoder } from './llama/decoder.ts';
import type { LlamaModel } from './llama/model.ts';
import type { LogitsPlace, Token } from './llama/tokens/token.ts';
import type { Vocabulary } from './llama/tokens/vocabulary.ts';
import { createPrefix } from './prefix/prefix.ts';
import type { PrefixStore } from './prefix/prefix-store.ts';
import { findTurnEnds } from './prefix/turn-ends.ts';
import type { StepLoop } from './step/step-loop.ts';

interface WeighContext {
  model: LlamaModel;
  decoder: Decoder;
  vocabulary: Vocabulary;
  store: PrefixStore;
  loop: StepLoop;
}

/**
 * Makes the native engine's answer to `weigh`. Each place where the spellings of the options differ takes one prefill, which reuses the
 * prompt from the KV cache. It throws a 400 `ApiError` for a prompt that leaves no room for the options, and a plain error if all slots
 * are busy or a forward pass fails.
 */
export function createWeigh(context: WeighContext): NonNullable<Answers['weigh']> {
  const { model, decoder, vocabulary } = context;
  const { contextLength } = decoder;
  let ends: Token[] | undefined;

  /** Returns the tokens that end a reply. */
  const endTokens = () => {
    ends ??= [...vocabulary.specialTokens(vocabulary.controlTokens)].filter(model.tokenizer.isEndOfTurn);
    return ends;
  };

  return async ({ prompt, options, param, cacheScope = '' }, signal = new AbortController().signal) => {
    const nothing: ReplyWeights = { probabilities: options.map(() => 0), tokens: 0, cached: 0 };
    const tokenized = await vocabulary.promptTokens(prompt, signal, contextLength);
    if (!tokenized || signal.aborted) return nothing;
    if ('overflow' in tokenized) throw contextLengthExceeded(tokenized.overflow, contextLength, param);
    const { tokens } = tokenized;
    const textOf = (token: Token) => new TextDecoder().decode(Uint8Array.from(vocabulary.bytesOf(token)));
    const spellings = await spellingsOf(options, (text) => vocabulary.tokensAmid(text, true), textOf);
    const longest = tokens.length + Math.max(...spellings.map((spelling) => spelling.tokens.length));
    if (longest >= contextLength) throw contextLengthExceeded(longest, contextLength, param);
    let cached: number | undefined;
    const probabilities = await weighSpellings(spellings, options.length, async (path, next, mayEnd) => {
      const wanted = mayEnd ? [...next, ...endTokens()] : next;
      const read = await readAfter(context, [...tokens, ...path], wanted, cacheScope, signal);
      cached ??= read.cached;
      return mayEnd ? [...read.logits.slice(0, next.length), logOfSum(read.logits.slice(next.length))] : read.logits;
    });
    return { probabilities, tokens: tokens.length, cached: cached ?? tokens.length };
  };
}

/** The parts of a generation that writes no text. */
const NO_TEXT = {
  choice: 0,
  before: [],
  replayed: { tokens: [], logprobs: [] },
  textOf: () => '',
  stop: [],
  banned: [],
  maxTokens: 1,
  toLogprob: (): TokenLogprob => ({ text: '', bytes: [], logprob: 0, alternatives: [] }),
  journal: false,
  emit: () => {},
  adapters: NO_ADAPTERS,
};

/** Evaluates a prompt on a free slot and returns the logits of `wanted` after it. All are 0 if the signal aborts. */
async function readAfter(
  { decoder, vocabulary, store, loop }: WeighContext,
  tokens: Token[],
  wanted: Token[],
  scope: string,
  signal: AbortSignal,
): Promise<{ logits: number[]; cached: number }> {
  if (decoder.lacks(tokens.length)) await loop.between(() => decoder.reserve(tokens.length));
  const prompt = createPrefix(scope, tokens);
  const [slot] = store.take(prompt, 1);
  if (!slot) throw new Error('a decision was started while all slots were busy');
  let logits = wanted.map(() => 0);
  try {
    const prepared = await store.prepare(slot, prompt, signal, findTurnEnds(tokens, vocabulary.isControl));
    const cached = slot.sequence.length;
    if (!prepared || signal.aborted) return { logits, cached };
    const source = logitsSource((place) => {
      ({ logits } = readTokens(decoder, place, wanted));
    });
    await new Promise<void>((resolve, reject) =>
      loop.add(
        createGeneration(
          {
            ...NO_TEXT,
            sequence: slot.sequence,
            prompt: tokens,
            cached,
            source,
            onPrefill: () => store.advanced(slot),
            pauseAt: () => slot.pauseAt,
            signal,
          },
          (_, error) => (error === undefined ? resolve() : reject(error)),
        ),
      ),
    );
    return { logits, cached };
  } finally {
    store.free(slot, scope);
  }
}

/** Returns a source that draws no token: it has the logits after the prompt read, and ends the reply. */
function logitsSource(read: (place: LogitsPlace) => void): TokenSource {
  return {
    highest: 0,
    opening: [],
    guesses: { made: 0, right: 0 },
    async draw([place]) {
      if (place !== undefined) read(place);
      return { tokens: [], kept: 0, ended: true };
    },
    async propose() {
      throw new Error('a reply that has ended goes on');
    },
    close: () => {},
  };
}

/** Returns the logit of any one of several tokens. */
function logOfSum(logits: number[]): number {
  const highest = Math.max(...logits);
  return highest + Math.log(logits.reduce((total, logit) => total + Math.exp(logit - highest), 0));
}
