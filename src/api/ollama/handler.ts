import type { ModelCard } from '../../contract/models/model.ts';
import type { RequestContext } from '../context.ts';
import { collectReplies } from '../generation/collect.ts';
import { checkUnloads, loadModel } from '../generation/load.ts';
import { type Generation, runGeneration, startGeneration } from '../generation/start.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamReply } from '../stream/event-stream.ts';
import { jsonLine, NDJSON } from './ndjson.ts';
import { readModelRequest } from './read.ts';
import { NOTHING, replyHead, type ToFields, toChatFields, toGenerateFields } from './reply.ts';
import { toChat, toSingleTurn, toTextGeneration, toTextPrompt } from './request.ts';
import { chatSchema, type GenerateBody, generateSchema } from './schema.ts';
import { createReplyEncoder } from './stream.ts';
import { NO_TOKENS, startTimer, type Timer, toFigures } from './timer.ts';
import { toEnd, toReplyPart } from './whole.ts';

/** How a reply is told: `stream` is on unless the client says no. */
interface Telling {
  name: string;
  stream: boolean;
  toFields: ToFields;
  timer: Timer;
  /** More fields of the last line. */
  last?: object;
}

/** POST /api/chat: the reply to a conversation. Without messages it only loads or unloads the model. */
export async function chat(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const timer = startTimer();
  const { body, name, model } = await readModelRequest(context, request, chatSchema);
  const telling = { name, stream: body.stream !== false, toFields: toChatFields, timer };
  if (!body.messages?.length) {
    return tellResidency(telling, await loadOrUnload(context, request, model));
  }
  return tell(context, await startGeneration(context, request, model, toChat(body, model), 'error'), telling);
}

/** POST /api/generate: the reply to a prompt, or the continuation of a text. Without a prompt it only loads or unloads the model. */
export async function generate(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const timer = startTimer();
  const { body, name, model } = await readModelRequest(context, request, generateSchema);
  const last = { context: [] };
  const telling = { name, stream: body.stream !== false, toFields: toGenerateFields, timer, last };
  if (!body.prompt && !body.suffix && !body.images?.length) {
    return tellResidency(telling, await loadOrUnload(context, request, model));
  }
  return tell(context, await startPrompt(context, request, model, body), telling);
}

/** Continues a text where the request wants the model without its chat template, else a conversation of one message. */
async function startPrompt(
  context: RequestContext,
  request: ApiRequest,
  model: ModelCard,
  body: GenerateBody,
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

/** Without anything to reply to, a request asks for the model itself: `keep_alive: 0` unloads it, all else loads it. */
async function loadOrUnload(
  context: RequestContext,
  request: ApiRequest,
  model: ModelCard,
): Promise<'load' | 'unload'> {
  if (context.record.keepMs === 0) {
    checkUnloads(context);
    // The end of the request does it, as that of every other request with this field.
    return 'unload';
  }
  await loadModel(context, request, model);
  return 'load';
}

function tellResidency({ name, stream, toFields, timer, last }: Telling, done_reason: 'load' | 'unload'): ApiReply {
  const end = { done: true, done_reason, ...last, ...toFigures(NO_TOKENS, timer) };
  const loaded = { ...replyHead(name), ...toFields(NOTHING), ...end };
  return stream ? { status: 200, headers: NDJSON.headers, body: jsonLine(loaded) } : jsonReply(loaded);
}
