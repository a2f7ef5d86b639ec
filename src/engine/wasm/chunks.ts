import { createStopFilter, type StopFilter } from '../../core/chat/stop-sequences.ts';
import type { FinishReason } from '../../core/events.ts';
import type { Emit } from '../../core/runner.ts';

/** The fields of llama-server's streamed chunks that are read. */
export interface Chunk {
  choices: { delta: { content?: string | null }; finish_reason: FinishReason | null }[];
  prompt_progress?: { total: number; cache: number; processed: number; time_ms: number };
  /** On the last chunk. */
  usage?: object | null;
  /** On the last chunk, or on each if asked for. */
  timings?: Timings;
}

interface Timings {
  cache_n: number;
  prompt_n: number;
  prompt_ms: number;
  predicted_n: number;
  predicted_ms: number;
}

/** Turns the chunks of one generation into its events. */
export class ChunkReader {
  readonly #emit: Emit;
  readonly #stops: StopFilter;
  #reason: FinishReason | null = null;
  #started = false;
  #complete = false;

  /** Chunks with text need timings if there are stop sequences. */
  constructor(stop: string[], emit: Emit) {
    this.#emit = emit;
    this.#stops = createStopFilter(stop);
  }

  /** Whether a chunk has come. */
  get started(): boolean {
    return this.#started;
  }

  /** Whether everything has been said: after the last chunk, or at a stop sequence. */
  get complete(): boolean {
    return this.#complete;
  }

  take({ prompt_progress: progress, choices: [choice], usage, timings }: Chunk): void {
    if (this.#complete) return;
    this.#started = true;
    if (progress !== undefined) {
      const { cache, processed, total } = progress;
      this.#emit({ kind: 'progress', cache, processed, total, timeMs: progress.time_ms });
    }
    if (choice?.delta.content) this.#say(this.#stops.push(choice.delta.content));
    if (this.#stops.stopped && timings) {
      this.#finish('stop');
      this.#done(timings, timings.predicted_n);
    }
    if (choice?.finish_reason) {
      this.#say(this.#stops.flush());
      this.#finish(choice.finish_reason);
    }
    // llama-server counts the token that ends the turn, which is none of the reply's.
    if (usage && timings) this.#done(timings, timings.predicted_n - (this.#reason === 'stop' ? 1 : 0));
  }

  #say(text: string): void {
    if (text !== '') this.#emit({ kind: 'text', choice: 0, text });
  }

  #finish(reason: FinishReason): void {
    this.#reason = reason;
    this.#emit({ kind: 'finish', choice: 0, reason });
  }

  #done({ cache_n, prompt_n, prompt_ms, predicted_ms }: Timings, completionTokens: number): void {
    this.#complete = true;
    this.#emit({
      kind: 'done',
      promptTokens: cache_n + prompt_n,
      cachedTokens: cache_n,
      completionTokens,
      promptMs: prompt_ms,
      predictedMs: predicted_ms,
    });
  }
}
