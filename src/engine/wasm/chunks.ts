import { createStopFilter, foldCase, type StopFilter } from '../../core/chat/stop-sequences.ts';
import type { FinishReason, TokenLogprob } from '../../core/events.ts';
import type { Emit } from '../../core/runner.ts';
import type { TextRequest } from '../engine.ts';

/** The fields of llama-server's streamed chunks that Paddock reads. */
export interface Chunk {
  choices: {
    text?: string;
    logprobs?: { content: (ChunkToken & { top_logprobs: ChunkToken[] })[] } | null;
    finish_reason: FinishReason | null;
  }[];
  prompt_progress?: { total: number; cache: number; processed: number; time_ms: number };
  /** On the last chunk. */
  usage?: object | null;
  /** On the last chunk; on every chunk if the request asks for it. */
  timings?: Timings;
}

interface ChunkToken {
  token: string;
  bytes: number[];
  logprob: number;
}

interface Timings {
  cache_n: number;
  prompt_n: number;
  prompt_ms: number;
  predicted_n: number;
  predicted_ms: number;
}

/** The result of a choice. `tokens` counts its tokens. */
export interface ChoiceOutcome {
  tokens: number;
  timings: Timings;
}

export interface ChunkReaderOptions {
  choice: number;
  request: Omit<TextRequest, 'prompt'>;
  emit: Emit;
}

/** Turns the chunks of one choice into events, all but the final `done`, which covers all choices. */
export class ChunkReader {
  readonly #options: ChunkReaderOptions;
  readonly #filter: StopFilter;
  readonly #stops: StopFilter;
  #logprobs: TokenLogprob[] = [];
  #reason: FinishReason | null = null;
  #started = false;
  /** All text so far, before the filters. */
  #raw = '';
  /** The timings of the latest chunk. */
  #latest: Timings | null = null;
  /** Those of the runs that broke off: of the first, and the tokens and ms of all. */
  #broken: { first: Timings; tokens: number; predictedMs: number } | null = null;
  #outcome: ChoiceOutcome | null = null;

  constructor(options: ChunkReaderOptions) {
    this.#options = options;
    this.#filter = createStopFilter(options.request.banned, foldCase);
    this.#stops = createStopFilter(options.request.stop);
  }

  /** True once a chunk has come. */
  get started(): boolean {
    return this.#started;
  }

  /** Set when the choice is complete: after the last chunk, or at a stop sequence or banned text. */
  get outcome(): ChoiceOutcome | null {
    return this.#outcome;
  }

  /**
   * Takes note that the run broke off at a token whose bytes are no UTF-8, and says U+FFFD in its place, as the native engine
   * does. Returns the text of the reply so far, for a prompt to go on from, and the tokens that it took.
   */
  replaceBroken(): { text: string; tokens: number } {
    const latest = this.#latest ?? { cache_n: 0, prompt_n: 0, prompt_ms: 0, predicted_n: 0, predicted_ms: 0 };
    const { first = latest, tokens = 0, predictedMs = 0 } = this.#broken ?? {};
    this.#broken = {
      first,
      tokens: tokens + latest.predicted_n + 1,
      predictedMs: predictedMs + latest.predicted_ms,
    };
    this.#latest = null;
    this.#raw += REPLACEMENT;
    this.#say(this.#stops.push(this.#filter.push(REPLACEMENT)));
    if (this.#broken.tokens >= (this.#options.request.maxTokens ?? Number.POSITIVE_INFINITY)) {
      this.#say(this.#stops.push(this.#filter.flush()) + this.#stops.flush());
      this.#finish('length');
      this.#outcome = this.#total(latest, 0);
    }
    return { text: this.#raw, tokens: this.#broken.tokens };
  }

  take({ prompt_progress: progress, choices: [choice], usage, timings }: Chunk): void {
    if (this.#outcome) return;
    this.#started = true;
    if (timings) this.#latest = timings;
    if (progress !== undefined && this.#options.choice === 0 && !this.#broken) {
      const { cache, processed, total } = progress;
      this.#options.emit({ kind: 'progress', cache, processed, total, timeMs: progress.time_ms });
    }
    for (const { top_logprobs: alternatives, ...token } of choice?.logprobs?.content ?? []) {
      const asked = alternatives.slice(0, this.#options.request.logprobs ?? 0);
      this.#logprobs.push({ ...toLogprob(token), alternatives: asked.map(toLogprob) });
    }
    this.#raw += choice?.text ?? '';
    if (choice?.text) this.#say(this.#stops.push(this.#filter.push(choice.text)));
    const stopped = this.#stops.stopped || this.#filter.stopped;
    if (stopped && timings) {
      this.#say(this.#stops.flush());
      this.#finish(this.#stops.stopped ? 'stop' : 'content_filter');
      this.#outcome = this.#total(timings, timings.predicted_n);
      return;
    }
    if (choice?.finish_reason) {
      this.#say(this.#stops.push(this.#filter.flush()) + this.#stops.flush());
      this.#finish(choice.finish_reason);
    }
    // llama-server also counts the token that ends the turn, which is not part of the reply.
    if (usage && timings) {
      this.#outcome = this.#total(timings, timings.predicted_n - (this.#reason === 'stop' ? 1 : 0));
    }
  }

  /** The outcome of all runs: the prompt of the first, the tokens of all. */
  #total(timings: Timings, tokens: number): ChoiceOutcome {
    if (!this.#broken) return { tokens, timings };
    const { first, tokens: before, predictedMs } = this.#broken;
    return {
      tokens: before + tokens,
      timings: { ...first, predicted_n: before + tokens, predicted_ms: predictedMs + timings.predicted_ms },
    };
  }

  #say(text: string): void {
    if (text === '') return;
    const logprobs = this.#logprobs;
    this.#options.emit({
      kind: 'text',
      choice: this.#options.choice,
      text,
      ...(logprobs.length > 0 && { logprobs }),
    });
    this.#logprobs = [];
  }

  #finish(reason: FinishReason): void {
    this.#reason = reason;
    this.#options.emit({ kind: 'finish', choice: this.#options.choice, reason });
  }
}

/** Stands for bytes that are no character. */
const REPLACEMENT = '\u{FFFD}';

function toLogprob({ token, bytes, logprob }: ChunkToken) {
  return { text: token, bytes, logprob };
}
