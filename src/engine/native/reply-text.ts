import { createDetokenizer } from '../../chat/detokenizer.ts';
import { createStopFilter, foldCase } from '../../chat/stop-sequences.ts';
import type { EngineEvent, FinishReason, TokenLogprob } from '../../contract/events.ts';
import type { Drawn } from './draw/token-drawer.ts';
import type { Token } from './llama/tokens/token.ts';

/** The options of one reply's text. */
export interface ReplyTextOptions {
  choice: number;
  /** The tokens of the text that the reply continues; empty if the reply begins a new text. */
  before: Token[];
  /**
   * The tokens of the reply that a previous engine drew, with their log probabilities. Their text was emitted by that
   * engine.
   */
  replayed: { tokens: Token[]; logprobs: TokenLogprob[] };
  /** Returns the text of tokens. `before` has the few tokens before them. */
  textOf: (tokens: Token[], before: Token[]) => string;
  /** The sequences at which the reply stops. They are no part of its text. */
  stop: string[];
  /** The texts that a content filter stops at, in any case. */
  banned: string[];
  /** The most tokens of the reply, those of a previous engine included; null for no limit. */
  maxTokens: number | null;
  toLogprob: (drawn: Drawn) => TokenLogprob;
  /** True if each token is emitted as it is drawn, so that another engine can continue the reply. */
  journal: boolean;
  emit: (event: EngineEvent) => void;
}

/**
 * Turns the drawn tokens of one reply into its events. It holds text back while that may be the beginning of a stop
 * sequence.
 */
export interface ReplyText {
  /** The number of tokens, those of a previous engine included. */
  readonly tokens: number;
  /** The number of tokens without those of a previous engine. */
  readonly added: number;
  /** Adds a token and emits its text. Returns the reason if the reply ends with this token, else null. */
  add(drawn: Drawn): FinishReason | null;
  /** Emits the text that is held back, and the end of the reply. */
  finish(reason: FinishReason): void;
}

/** Makes the text of one reply. Tokens of a previous engine are added at once, without events. */
export function createReplyText(options: ReplyTextOptions): ReplyText {
  const { choice, replayed, maxTokens, journal, emit } = options;
  const detokenizer = createDetokenizer((tokens, before) => options.textOf(tokens, before), options.before);
  const stops = createStopFilter(options.stop);
  const filter = createStopFilter(options.banned, foldCase);
  /** The log probabilities of the tokens whose text is held back. */
  let logprobs: TokenLogprob[] = [];
  let added = 0;
  /** The number of tokens since text was emitted. */
  let unsaid = 0;

  const say = (text: string) => {
    if (text === '') return;
    emit({ kind: 'text', choice, text, tokens: unsaid, ...(logprobs.length > 0 && { logprobs }) });
    logprobs = [];
    unsaid = 0;
  };

  for (const [index, token] of replayed.tokens.entries()) {
    logprobs.push(...replayed.logprobs.slice(index, index + 1));
    if (stops.push(filter.push(detokenizer.push(token))) !== '') logprobs = [];
  }

  return {
    get tokens() {
      return replayed.tokens.length + added;
    },
    get added() {
      return added;
    },
    add(drawn) {
      added += 1;
      unsaid += 1;
      const logprob = drawn.logprob === undefined ? undefined : options.toLogprob(drawn);
      if (logprob) logprobs.push(logprob);
      if (journal) emit({ kind: 'drawn', choice, token: drawn.token, ...(logprob && { logprob }) });
      say(stops.push(filter.push(detokenizer.push(drawn.token))));
      if (stops.stopped) return 'stop';
      if (filter.stopped) return 'content_filter';
      return replayed.tokens.length + added === maxTokens ? 'length' : null;
    },
    finish(reason) {
      say((filter.stopped ? '' : stops.push(filter.flush())) + stops.flush());
      emit({ kind: 'finish', choice, reason, ...(stops.reached !== undefined && { stopSequence: stops.reached }) });
    },
  };
}
