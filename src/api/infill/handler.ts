import { ApiError } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import { readRequestFor } from '../fields/model-request.ts';
import { wantedModel } from '../fields/wanted-model.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { contextLengthOf } from '../models/model-object.ts';
import { type Filling, fill } from './fill.ts';
import { type Gap, shortenGap, toGap } from './gap.ts';
import { toInfillGeneration } from './request.ts';
import { type InfillRequest, infillRequestSchema } from './schema.ts';
import { pickFields, toInfillReply } from './whole.ts';

/** How often a gap is shortened until it fits. The estimate of its tokens gets better each time. */
const MOST_TRIES = 4;
/** Tokens of the marks around the gap and of files. */
const SPARE_TOKENS = 16;

/** POST /infill: the text that fills the gap between two texts, in llama-server's form. */
export async function infill(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readRequestFor(context, request, infillRequestSchema, ({ model }) =>
    wantedModel(context, model),
  );
  const { filling, truncated } = await fillGap(context, request, model, body);
  const reply = toInfillReply(model.id, filling, { truncated, silent: body.n_predict === 0 });
  return jsonReply(body.response_fields ? pickFields(reply, body.response_fields) : reply);
}

/** Fills the gap, and shortens it before if it does not fit the context window. */
async function fillGap(
  context: RequestContext,
  request: ApiRequest,
  model: ModelCard,
  body: InfillRequest,
): Promise<{ filling: Filling; truncated: boolean }> {
  const generation = toInfillGeneration(body, model, context.contentFilter);
  const limits = { indent: body.n_indent ?? 0, timeMs: Math.max(0, body.t_max_predict_ms ?? 0) };
  let gap: Gap = toGap(body);
  for (let tries = 1; ; tries++) {
    try {
      const prompt = { kind: 'infill' as const, ...gap, param: 'input_suffix' };
      const filling = await fill(context, request, model, { ...generation, prompt }, limits);
      return { filling, truncated: tries > 1 };
    } catch (error) {
      if (!(error instanceof ApiError) || error.data.code !== 'context_length_exceeded' || tries === MOST_TRIES)
        throw error;
      const { n_prompt_tokens: tokens = 0, n_ctx = contextLengthOf(model, undefined) } = error.data;
      gap = shortenGap(gap, tokens, n_ctx - (generation.maxTokens ?? 0) - SPARE_TOKENS);
    }
  }
}
