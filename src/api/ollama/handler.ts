import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import { collectReplies } from '../generation/collect.ts';
import { checkUnloads, ensureLoaded } from '../generation/load.ts';
import { type Generation, runGeneration, startGeneration } from '../generation/start.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamReply } from '../stream/event-stream.ts';
import { jsonLine, NDJSON } from './ndjson.ts';
import { readOllamaModelRequest } from './read.ts';
import { NOTHING, replyHead, type ToFields, toChatFields, toGenerateFields } from './reply.ts';
import { toOllamaConversation, toSingleTurn, toTextGeneration, toTextPrompt } from './request.ts';
import { chatSchema, generateSchema, type OllamaGenerateBody } from './schema.ts';
import { createReplyEncoder } from './stream.ts';
import { NO_TOKENS, startTimer, type Timer, toFigures } from './timer.ts';
import { toEnd, toReplyPart } from './whole.ts';

/** The form of a reply. `stream` is true unless the request sets it to false. */
interface Telling {
  name: string;
  stream: boolean;
  toFields: ToFields;
  timer: Timer;
  /** Additional fields of the last line. */
  last?: object;
}

/** POST /api/chat: the reply to a conversation. Without messages it only loads or unloads the model. */
export async function ollamaChat(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const timer = startTimer();
  const { body, name, model } = await readOllamaModelRequest(context, request, chatSchema);
  const telling = { name, stream: body.stream !== false, toFields: toChatFields, timer };
  if (!body.messages?.length) {
    return tellResidency(telling, await loadOrUnload(context, request, model));
  }
  return tell(
    context,
    await startGeneration(context, request, model, toOllamaConversation(body, model), 'error'),
    telling,
  );
}

/**
 * POST /api/generate: the reply to a prompt, or the continuation of a text. Without a prompt it only loads or unloads
 * the model.
 */
export async function ollamaGenerate(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const timer = startTimer();
  const { body, name, model } = await readOllamaModelRequest(context, request, generateSchema);
  const last = { context: [] };
  const telling = { name, stream: body.stream !== false, toFields: toGenerateFields, timer, last };
  if (!body.prompt && !body.suffix && !body.images?.length) {
    return tellResidency(telling, await loadOrUnload(context, request, model));
  }
  return tell(context, await startPrompt(context, request, model, body), telling);
}

/** Continues a text if the request is for the model without its chat template, else a conversation of one message. */
async function startPrompt(
  context: RequestContext,
  request: ApiRequest,
  model: ModelCard,
  body: OllamaGenerateBody,
): Promise<Generation> {
  const prompt = toTextPrompt(body);
  if (!prompt) return startGeneration(context, request, model, toSingleTurn(body, model), 'error');
  const cancel = cancelWith(request.signal);
  const generation = toTextGeneration(body, prompt, model, context.contentFilter);
  const events = runGeneration(context, cancel, model, generation, { overflow: 'error', param: 'prompt' });
  return { events, cancel };
}

async function tell(context: RequestContext, { events, cancel }: Generation, telling: Telling): Promise<ApiReply> {
  const { name, stream, toFields, timer, last } = telling;
  const watched = timer.watch(events);
  if (stream) {
    const encode = createReplyEncoder(name, toFields, timer, last);
    return streamReply(context, watched, cancel, { ...NDJSON, encode, isLast: ({ kind }) => kind === 'done' });
  }
  const { replies, done } = await collectReplies(watched);
  const [reply] = replies;
  if (!reply) throw new Error('the generation has no reply');
  return jsonReply({ ...replyHead(name), ...toFields(toReplyPart(reply)), ...toEnd(reply, done, timer), ...last });
}

/** Loads or unloads the model, for a request without a prompt: `keep_alive: 0` unloads it, any other value loads it. */
async function loadOrUnload(
  context: RequestContext,
  request: ApiRequest,
  model: ModelCard,
): Promise<'load' | 'unload'> {
  if (context.record.keepMs === 0) {
    checkUnloads(context);
    // The model is unloaded at the end of the request, as for every request with this value.
    return 'unload';
  }
  await ensureLoaded(context, request, model);
  return 'load';
}

function tellResidency({ name, stream, toFields, timer, last }: Telling, done_reason: 'load' | 'unload'): ApiReply {
  const end = { done: true, done_reason, ...last, ...toFigures(NO_TOKENS, timer) };
  const loaded = { ...replyHead(name), ...toFields(NOTHING), ...end };
  return stream ? { status: 200, headers: NDJSON.headers, body: jsonLine(loaded) } : jsonReply(loaded);
}
