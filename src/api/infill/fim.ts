import { createChatEncoder } from '../chat/stream.ts';
import { toCompletion } from '../chat/whole.ts';
import type { RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { collectReplies } from '../generation/collect.ts';
import { toSettings } from '../generation/request.ts';
import { runGeneration } from '../generation/start.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamReply } from '../stream/event-stream.ts';
import { createCompletionHead } from '../stream/usage.ts';
import { fimRequestSchema } from './schema.ts';

/**
 * POST /v1/fim/completions: the text that fills the gap between `prompt` and `suffix`, in the form of Mistral, which answers as a chat
 * completion.
 */
export async function createFimCompletion(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, fimRequestSchema);
  const cancel = cancelWith(request.signal);
  const sampling = { ...body, seed: body.seed ?? body.random_seed };
  const maxTokens = body.max_tokens === -1 ? null : (body.max_tokens ?? undefined);
  const generation = {
    ...toSettings({ sampling, maxTokens, logprobs: null }, model, context.contentFilter),
    prompt: { kind: 'infill' as const, prefix: body.prompt, suffix: body.suffix ?? '' },
    replyFormat: { kind: 'text' as const },
  };
  const overflow = body.context_overflow ?? 'length';
  const events = runGeneration(context, cancel, model, generation, { overflow, param: 'prompt' });
  const head = createCompletionHead('cmpl', model.id, context.systemFingerprint, Date.now());
  if (!body.stream) {
    const { replies, done } = await collectReplies(events);
    return jsonReply(toCompletion(head, replies, done));
  }
  // Mistral's clients read the choice of each chunk, so there is none without.
  const encode = createChatEncoder(head, { includeUsage: false, returnProgress: false });
  return streamReply(context, events, cancel, { encode, isLast: ({ kind }) => kind === 'done' });
}
