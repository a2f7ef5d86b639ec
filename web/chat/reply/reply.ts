import type { ToolCallObject } from '../../../src/api/chat/tool-call.ts';
import type { FinishReason } from '../../../src/contract/events.ts';
import type { ReplyFigures, ReplyStats, ReplyTurn } from '../conversation/conversation.ts';

/** The fields of a chat completion chunk that the page reads. */
export interface ChatChunk extends Partial<ReplyFigures> {
  choices?: {
    delta: { content?: string | null; reasoning_content?: string; tool_calls?: ToolCallDelta[] };
    finish_reason: FinishReason | null;
  }[];
  prompt_progress?: PrefillProgress;
}

/** The progress of prefill. Counts are in tokens; `processed` includes `cache`. */
export interface PrefillProgress {
  cache: number;
  processed: number;
  total: number;
}

interface ToolCallDelta {
  index: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}

/** A growing reply. Times are in ms since its request. */
export interface Coming {
  reply: ReplyTurn;
  finish: FinishReason | null;
  prompt: PrefillProgress | null;
  /** The number of deltas so far. A delta has about one token. */
  pieces: number;
  firstPieceMs: number | null;
  /** The time of the latest delta. */
  lastPieceMs: number;
  figures: ReplyFigures;
}

/** Returns the state of a reply before its first chunk. */
export function coming(reply: ReplyTurn): Coming {
  return {
    reply,
    finish: null,
    prompt: null,
    pieces: 0,
    firstPieceMs: null,
    lastPieceMs: 0,
    figures: { usage: null, timings: null },
  };
}

/** Adds a chunk to the reply. `now` is the time of its arrival, in ms since the request. */
export function withChunk(before: Coming, chunk: ChatChunk, now: number): Coming {
  const choice = chunk.choices?.[0];
  const delta = choice?.delta ?? {};
  const { content, reasoning_content: reasoning, tool_calls: calls } = delta;
  const piece = Boolean(content || reasoning || calls);
  return {
    reply: {
      ...before.reply,
      text: before.reply.text + (content ?? ''),
      reasoning: before.reply.reasoning + (reasoning ?? ''),
      calls: (calls ?? []).reduce(withCall, before.reply.calls),
    },
    finish: choice?.finish_reason ?? before.finish,
    prompt: chunk.prompt_progress ?? before.prompt,
    pieces: before.pieces + (piece ? 1 : 0),
    firstPieceMs: before.firstPieceMs ?? (piece ? now : null),
    lastPieceMs: piece ? now : before.lastPieceMs,
    figures: { usage: chunk.usage ?? before.figures.usage, timings: chunk.timings ?? before.figures.timings },
  };
}

/**
 * Returns the figures of a reply that took `totalMs`. If the server did not send a figure, the page's own count is
 * used.
 */
export function statsOf({ figures, pieces, firstPieceMs, lastPieceMs, prompt }: Coming, totalMs: number): ReplyStats {
  const { usage, timings } = figures;
  const miss = timings?.cache?.miss?.why;
  return {
    promptTokens: usage?.prompt_tokens ?? prompt?.total ?? 0,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? prompt?.cache ?? 0,
    tokens: usage?.completion_tokens ?? pieces,
    tokensPerSecond: timings?.predicted_per_second || rate(pieces, firstPieceMs, lastPieceMs),
    firstTokenMs: firstPieceMs,
    totalMs,
    ...(miss && { miss }),
  };
}

/**
 * Joins the figures of a continued reply: the time to first token of its beginning, the prompt of its rest, and the
 * sums of tokens and times.
 */
export function statsOfAll(beginning: ReplyStats | null, rest: ReplyStats | null): ReplyStats | null {
  if (!beginning || !rest) return rest ?? beginning;
  return {
    ...rest,
    tokens: beginning.tokens + rest.tokens,
    inPrompt: beginning.tokens,
    firstTokenMs: beginning.firstTokenMs,
    totalMs: beginning.totalMs + rest.totalMs,
  };
}

/** Returns the tokens per second between the first delta and the latest; null if there are too few deltas. */
export function rate(pieces: number, firstPieceMs: number | null, lastPieceMs: number): number | null {
  if (firstPieceMs === null || pieces < 2 || lastPieceMs <= firstPieceMs) return null;
  return ((pieces - 1) * 1000) / (lastPieceMs - firstPieceMs);
}

function withCall(calls: ToolCallObject[], { index, id, function: given = {} }: ToolCallDelta): ToolCallObject[] {
  const known = calls[index] ?? { id: '', type: 'function' as const, function: { name: '', arguments: '' } };
  const call: ToolCallObject = {
    id: id ?? known.id,
    type: 'function',
    function: {
      name: given.name ?? known.function.name,
      arguments: known.function.arguments + (given.arguments ?? ''),
    },
  };
  return [...calls.slice(0, index), call, ...calls.slice(index + 1)];
}
