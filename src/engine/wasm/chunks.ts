import { createStopFilter, foldCase, type StopFilter } from '../../chat/stop-sequences.ts';
import type { Emit, FinishReason, TokenLogprob } from '../../contract/events.ts';
import type { TextRequest } from '../engine.ts';
import { createReplay, type Replay } from './replay.ts';

/** The fields of llama-server's streamed chunks that Paddock reads. */
export interface Chunk {
  choices: {
    text?: string;
    logprobs?: { content: (ChunkToken & { top_logprobs: ChunkToken[]; top_probs?: TokenChance[] })[] } | null;
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

/** The probability of a token after the samplers. */
interface TokenChance {
  id: number;
  prob: number;
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

/** The options of the reader of one choice. */
export interface ChunkReaderOptions {
  choice: number;
  request: Omit<TextRequest, 'prompt'>;
  emit: Emit;
  /** The beginning of the reply that a previous engine emitted. The chunks repeat it, and it is not emitted again. */
  said?: string;
  /** The beginning of the reply that is a part of the prompt. The chunks do not repeat it. */
  before?: ReplySoFar;
}

/** The text of a reply so far, and its number of tokens. */
export interface ReplySoFar {
  text: string;
  tokens: number;
}

/** The timings of a run without tokens. */
export const NO_TIMINGS: Timings = { cache_n: 0, prompt_n: 0, prompt_ms: 0, predicted_n: 0, predicted_ms: 0 };

/** Turns the chunks of one choice into events, all but the final `done`, which covers all choices. */
export class ChunkReader {
  readonly #options: ChunkReaderOptions;
  readonly #filter: StopFilter;
  readonly #stops: StopFilter;
  readonly #replay: Replay;
  #logprobs: TokenLogprob[] = [];
  /** The number of chunks with text, which have one token each, since text was emitted. */
  #unsaid = 0;
  /** True if the latest token ends the turn. llama-server counts it, but it is not part of the reply. */
  #endsTurn = false;
  #started = false;
  /** All text so far, before the filters. */
  #raw = '';
  /** The timings of the latest chunk. */
  #latest: Timings | null = null;
  /** The timings of the runs that broke off: the prompt of the first, and the sum of tokens and ms of all. */
  #broken: { first: Timings; tokens: number; predictedMs: number } | null = null;
  #outcome: ChoiceOutcome | null = null;

  constructor(options: ChunkReaderOptions) {
    this.#options = options;
    this.#filter = createStopFilter(options.request.banned, foldCase);
    this.#stops = createStopFilter(options.request.stop);
    this.#replay = createReplay(options.said ?? '', options.emit);
    if (!options.before) return;
    const { text, tokens } = options.before;
    this.#raw = text;
    this.#broken = { first: NO_TIMINGS, tokens, predictedMs: 0 };
    this.#endAtLimit(NO_TIMINGS);
  }

  get choice(): number {
    return this.#options.choice;
  }

  /** True once a chunk has come. */
  get started(): boolean {
    return this.#started;
  }

  /** Set when the choice is complete: after the last chunk, or at a stop sequence or banned text. */
  get outcome(): ChoiceOutcome | null {
    return this.#outcome;
  }

  /** True if the chunks' text differs from `said`. No more events are emitted then. */
  get diverged(): boolean {
    return this.#replay.diverged;
  }

  /** True if no more chunks are needed. */
  get over(): boolean {
    return this.#outcome !== null || this.diverged;
  }

  /**
   * Notes that the run broke off at a token whose bytes are not UTF-8, and emits U+FFFD in its place, as the native
   * engine does. Returns the reply so far, with which the prompt of the next run ends.
   */
  replaceBroken(): ReplySoFar {
    const latest = this.#latest ?? NO_TIMINGS;
    const { first = latest, tokens = 0, predictedMs = 0 } = this.#broken ?? {};
    this.#broken = {
      first,
      tokens: tokens + latest.predicted_n + 1,
      predictedMs: predictedMs + latest.predicted_ms,
    };
    this.#latest = null;
    this.#raw += REPLACEMENT;
    this.#say(this.#stops.push(this.#filter.push(REPLACEMENT)));
    this.#endAtLimit(latest);
    return { text: this.#raw, tokens: this.#broken.tokens };
  }

  /** Ends the choice if the runs that broke off have used all tokens that the request allows. */
  #endAtLimit(timings: Timings): void {
    if (!this.#broken || this.#broken.tokens < (this.#options.request.maxTokens ?? Number.POSITIVE_INFINITY)) return;
    this.#say(this.#stops.push(this.#filter.flush()) + this.#stops.flush());
    this.#finish('length');
    this.#outcome = this.#total(timings, 0);
  }

  take({ prompt_progress: progress, choices: [choice], usage, timings }: Chunk): void {
    if (this.over) return;
    this.#started = true;
    if (timings) this.#latest = timings;
    this.#endsTurn = choice?.finish_reason === 'stop' || this.#endsTurn;
    if (progress !== undefined && this.#options.choice === 0 && !this.#broken) {
      const { cache, processed, total } = progress;
      this.#replay.emit({ kind: 'progress', cache, processed, total, timeMs: progress.time_ms });
    }
    for (const { top_logprobs: alternatives, ...token } of choice?.logprobs?.content ?? []) {
      const asked = alternatives.slice(0, this.#options.request.logprobs ?? 0);
      this.#logprobs.push({ ...toLogprob(token), alternatives: asked.map(toLogprob) });
    }
    this.#takeText(choice?.text ?? '');
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
    if (usage && timings) this.#outcome = this.#total(timings, timings.predicted_n - (this.#endsTurn ? 1 : 0));
  }

  #takeText(text: string): void {
    if (text === '') return;
    this.#raw += text;
    this.#unsaid += 1;
    this.#say(this.#stops.push(this.#filter.push(text)));
  }

  /** Returns the timings of all runs: the prompt of the first, the tokens of all. */
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
    this.#replay.emit({
      kind: 'text',
      choice: this.#options.choice,
      text,
      tokens: this.#unsaid,
      ...(logprobs.length > 0 && { logprobs }),
      ...this.#counted(),
    });
    this.#logprobs = [];
    this.#unsaid = 0;
  }

  #finish(reason: FinishReason): void {
    const { reached } = this.#stops;
    const stopped = reached === undefined ? {} : { stopSequence: reached };
    this.#replay.emit({ kind: 'finish', choice: this.#options.choice, reason, ...stopped, ...this.#counted() });
  }

  /** Emits the tokens so far if the request asks for a journal. */
  #counted(): { soFar?: number } {
    if (!this.#options.request.journal) return {};
    return { soFar: (this.#broken?.tokens ?? 0) + (this.#latest?.predicted_n ?? 0) - (this.#endsTurn ? 1 : 0) };
  }
}

/** Replaces bytes that are not a character. */
const REPLACEMENT = '\u{FFFD}';

function toLogprob({ token, bytes, logprob }: ChunkToken) {
  return { text: token, bytes, logprob };
}
