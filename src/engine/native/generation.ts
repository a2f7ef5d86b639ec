import { createDetokenizer } from '../../core/chat/detokenizer.ts';
import { createStopFilter, foldCase } from '../../core/chat/stop-sequences.ts';
import type { EngineEvent, FinishReason, TokenLogprob } from '../../core/events.ts';
import type { Token } from './llama.ts';
import type { PromptScorer } from './prompt-scores.ts';
import type { Slot } from './slot.ts';
import type { Steppable } from './step-loop.ts';
import type { Drawn, TokenSource } from './token-source.ts';

export interface GenerationOptions {
  choice: number;
  slot: Slot;
  /** All tokens to evaluate before one is drawn: the prompt, and what another engine had drawn of the reply. */
  prompt: Token[];
  /** The part of the reply that another engine had drawn and said. */
  replayed: { tokens: Token[]; logprobs: TokenLogprob[] };
  /** Prompt tokens that the slot's KV cache holds already. */
  cached: number;
  /** Evaluates the prompt but for its last token, if the log probabilities of its tokens are asked for. */
  scorer?: PromptScorer | undefined;
  /** Called after each chunk of the prompt with the number of evaluated prompt tokens. */
  onPrefill: (evaluated: number) => void;
  source: TokenSource;
  /** The tokens of prompt and reply. Drawn tokens are added to it. */
  history: Token[];
  /** Returns the text of tokens. `before` has the few tokens before them. */
  textOf: (tokens: Token[], before: Token[]) => string;
  stop: string[];
  banned: string[];
  maxTokens: number | null;
  toLogprob: (drawn: Drawn) => TokenLogprob;
  /** Whether to say each token as it is drawn. */
  journal: boolean;
  emit: (event: EngineEvent) => void;
  signal: AbortSignal;
}

/** The result of a generation. Times are `performance.now()`, in ms. */
export interface GenerationOutcome {
  tokens: number;
  firstTokenAt: number;
}

/**
 * Runs one choice on one slot: prefill in chunks, then one token per step until it ends. `onFinished` gets null as the
 * outcome if the generation was cancelled or failed.
 */
export function createGeneration(
  options: GenerationOptions,
  onFinished: (outcome: GenerationOutcome | null, error?: unknown) => void,
): Steppable {
  const { choice, slot, prompt, source, scorer, history, emit, signal } = options;
  const { sequence } = slot;
  const detokenizer = createDetokenizer((tokens, before) => options.textOf(tokens as Token[], before as Token[]));
  const stops = createStopFilter(options.stop);
  const filter = createStopFilter(options.banned, foldCase);
  let evaluated = options.cached;
  let generated = 0;
  let firstTokenAt = 0;
  let finished = false;
  let logprobs: TokenLogprob[] = [];
  /** Tokens drawn since text was said. */
  let unsaid = 0;

  const say = (text: string) => {
    if (text === '') return;
    emit({ kind: 'text', choice, text, tokens: unsaid, ...(logprobs.length > 0 && { logprobs }) });
    logprobs = [];
    unsaid = 0;
  };

  /** Brings the filters to where another engine left them; what comes out has been said. */
  const replay = ({ tokens, logprobs: known }: GenerationOptions['replayed']) => {
    for (const [index, token] of tokens.entries()) {
      generated += 1;
      logprobs.push(...known.slice(index, index + 1));
      if (stops.push(filter.push(detokenizer.push(token))) !== '') logprobs = [];
    }
  };

  const release = async (outcome: GenerationOutcome | null, error?: unknown) => {
    finished = true;
    await source.close();
    onFinished(outcome, error);
  };

  const finish = async (reason: FinishReason) => {
    say((filter.stopped ? '' : stops.push(filter.flush())) + stops.flush());
    emit({ kind: 'finish', choice, reason, ...(stops.reached !== undefined && { stopSequence: stops.reached }) });
    await release({ tokens: generated, firstTokenAt });
  };

  const evaluate = async (chunk: Token[]): Promise<undefined> => {
    const next = prompt[evaluated + chunk.length];
    if (scorer && next !== undefined) await scorer.evaluate(chunk, next);
    else await slot.evaluate(chunk);
  };

  /** Evaluates the next chunk of the prompt. The last chunk gives the first token of the reply. */
  const prefill = async (count: number): Promise<Drawn | null | undefined> => {
    // A scorer takes fewer tokens at once, and leaves the last one to the source.
    const scores = scorer && evaluated < prompt.length - 1;
    const end = Math.min(evaluated + Math.min(count, scores ? scorer.chunk : count), prompt.length - (scores ? 1 : 0));
    const chunk = prompt.slice(evaluated, end);
    const last = end === prompt.length;
    const drawn = last ? await source.next(chunk) : await evaluate(chunk);
    if (last) firstTokenAt = performance.now();
    evaluated += chunk.length;
    options.onPrefill(evaluated);
    return drawn;
  };

  const accept = async (drawn: Drawn | null) => {
    if (!drawn) return finish('stop');
    generated += 1;
    unsaid += 1;
    history.push(drawn.token);
    const logprob = drawn.logprob === undefined ? undefined : options.toLogprob(drawn);
    if (logprob) logprobs.push(logprob);
    if (options.journal) emit({ kind: 'drawn', choice, token: drawn.token, ...(logprob && { logprob }) });
    say(stops.push(filter.push(detokenizer.push(drawn.token))));
    if (stops.stopped) return finish('stop');
    if (filter.stopped) return finish('content_filter');
    // The token itself needs a place in the context before another can follow it.
    const contextFull = sequence.nextTokenIndex >= sequence.contextSize - 1;
    if (generated === options.maxTokens || contextFull) return finish('length');
  };

  replay(options.replayed);
  return {
    get pendingPrompt() {
      return prompt.length - evaluated;
    },
    get finished() {
      return finished;
    },
    async step(promptTokens) {
      try {
        if (signal.aborted) return await release(null);
        const prefilling = evaluated < prompt.length;
        if (prefilling && promptTokens === 0) return;
        const drawn = prefilling ? await prefill(promptTokens) : await source.next(history.slice(-1));
        if (drawn !== undefined && !signal.aborted) await accept(drawn);
      } catch (error) {
        await release(null, error);
      }
    },
  };
}
