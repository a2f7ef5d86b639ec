import { ApiError } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import { readRequestFor } from '../fields/model-request.ts';
import { wantedModel } from '../fields/wanted-model.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { contextLengthOf } from '../models/model-object.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamReply } from '../stream/event-stream.ts';
import type { Ping } from '../stream/pings.ts';
import { SSE_PING, sseEvent } from '../stream/sse.ts';
import { type FillingEvent, fill } from './fill.ts';
import { type Gap, shortenGap, toGap } from './gap.ts';
import { toInfillGeneration } from './request.ts';
import { type InfillRequest, infillRequestSchema } from './schema.ts';
import { pickFields, toInfillChunk, toInfillReply } from './whole.ts';

/** How often a gap is shortened until it fits. The estimate of its tokens gets better each time. */
const MOST_TRIES = 4;
/** Tokens of the marks around the gap and of files. */
const SPARE_TOKENS = 16;

/**
 * POST /infill: the text that fills the gap between two texts, in llama-server's form, whole or as a stream. Throws a
 * 400 `context_length_exceeded` if the gap, shortened before each further attempt, does not fit the context window in
 * `MOST_TRIES` attempts.
 */
export async function infill(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readRequestFor(context, request, infillRequestSchema, ({ model }) =>
    wantedModel(context, model),
  );
  const cancel = cancelWith(request.signal);
  const events = fillGap(context, cancel, model, body);
  const silent = body.n_predict === 0;
  const toReply = ({ filling, truncated }: FilledGap, streamed: boolean) => {
    const reply = toInfillReply(model.id, filling, { truncated, silent, streamed });
    return body.response_fields ? pickFields(reply, body.response_fields) : reply;
  };
  if (!body.stream) return jsonReply(toReply(await lastOf(events), false));
  const encode = (event: GapEvent | Ping): string => {
    if (event.kind === 'ping') return SSE_PING;
    if (event.kind === 'filled') return sseEvent(toReply(event, true));
    return silent ? '' : sseEvent(toInfillChunk(event));
  };
  // llama-server sends no [DONE] here: the last event has `stop`.
  return streamReply(context, events, cancel, { encode, closing: '', isLast: ({ kind }) => kind === 'filled' });
}

type FilledGap = Extract<FillingEvent, { kind: 'filled' }> & {
  /** True if the gap was shortened to fit the context window. */
  truncated: boolean;
};

type GapEvent = Extract<FillingEvent, { kind: 'text' }> | FilledGap;

/** Fills the gap, and shortens it before if it does not fit the context window. */
async function* fillGap(
  context: RequestContext,
  cancel: AbortController,
  model: ModelCard,
  body: InfillRequest,
): AsyncGenerator<GapEvent> {
  const generation = toInfillGeneration(body, model, context.contentFilter);
  const limits = { indent: body.n_indent ?? 0, timeMs: Math.max(0, body.t_max_predict_ms ?? 0) };
  let gap: Gap = toGap(body);
  for (let tries = 1; ; tries++) {
    try {
      const prompt = { kind: 'infill' as const, ...gap, param: 'input_suffix' };
      for await (const event of fill(context, cancel, model, { ...generation, prompt }, limits))
        yield event.kind === 'filled' ? { ...event, truncated: tries > 1 } : event;
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.data.code !== 'context_length_exceeded' || tries === MOST_TRIES)
        throw error;
      const { n_prompt_tokens: tokens = 0, n_ctx = contextLengthOf(model, undefined) } = error.data;
      gap = shortenGap(gap, tokens, n_ctx - (generation.maxTokens ?? 0) - SPARE_TOKENS);
    }
  }
}

async function lastOf(events: AsyncIterable<GapEvent>): Promise<FilledGap> {
  for await (const event of events) if (event.kind === 'filled') return event;
  throw new Error('the filling ended without its last event');
}
