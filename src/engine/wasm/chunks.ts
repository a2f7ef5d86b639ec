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
  request: TextRequest;
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
  #outcome: ChoiceOutcome | null = null;

  /** If there are stop sequences or banned texts, chunks with text must have timings. */
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

  take({ prompt_progress: progress, choices: [choice], usage, timings }: Chunk): void {
    if (this.#outcome) return;
    this.#started = true;
    if (progress !== undefined && this.#options.choice === 0) {
      const { cache, processed, total } = progress;
      this.#options.emit({ kind: 'progress', cache, processed, total, timeMs: progress.time_ms });
    }
    for (const { top_logprobs: alternatives, ...token } of choice?.logprobs?.content ?? []) {
      const asked = alternatives.slice(0, this.#options.request.logprobs ?? 0);
      this.#logprobs.push({ ...toLogprob(token), alternatives: asked.map(toLogprob) });
    }
    if (choice?.text) this.#say(this.#stops.push(this.#filter.push(choice.text)));
    const stopped = this.#stops.stopped || this.#filter.stopped;
    if (stopped && timings) {
      this.#say(this.#stops.flush());
      this.#finish(this.#stops.stopped ? 'stop' : 'content_filter');
      this.#outcome = { tokens: timings.predicted_n, timings };
      return;
    }
    if (choice?.finish_reason) {
      this.#say(this.#stops.push(this.#filter.flush()) + this.#stops.flush());
      this.#finish(choice.finish_reason);
    }
    // llama-server also counts the token that ends the turn, which is not part of the reply.
    if (usage && timings) {
      this.#outcome = { tokens: timings.predicted_n - (this.#reason === 'stop' ? 1 : 0), timings };
    }
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

function toLogprob({ token, bytes, logprob }: ChunkToken) {
  return { text: token, bytes, logprob };
}
