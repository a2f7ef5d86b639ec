import { notSupportedHere } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { readFormFor } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamReply } from '../stream/event-stream.ts';
import type { Ping } from '../stream/pings.ts';
import { SSE_PING, sseTypedEvent } from '../stream/sse.ts';
import { REFUSED, refuseUntold, transcriptionSchema } from './schema.ts';
import { checkHears, type Task, type TranscriptEvent, transcribe } from './transcribe.ts';

const TEXT_TYPE = 'text/plain; charset=utf-8';

/**
 * POST /v1/audio/transcriptions: what a recording says, in its own language. Throws a 400 `ApiError` for a refused
 * field, a model that does not hear and a recording that can't be read, and a 501 `not_supported_here` where Paddock
 * takes no audio.
 */
export function createTranscription(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  return writeDown(context, request, 'transcribe');
}

/** POST /v1/audio/translations: what a recording says, in English. Throws as `createTranscription` does. */
export function createTranslation(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  return writeDown(context, request, 'translate');
}

async function writeDown(context: RequestContext, request: ApiRequest, task: Task): Promise<ApiReply> {
  const { body: form, model } = await readFormFor(context, request, transcriptionSchema, REFUSED);
  refuseUntold(form);
  checkHears(model, context);
  if (!context.media) throw notSupportedHere('This Paddock can take no audio.');
  const cancel = cancelWith(request.signal);
  const recording = await context.media.openRecording(form.file.bytes, 'file', cancel.signal);
  const events = transcribe(context, cancel.signal, model, recording, form, task);
  if (form.stream)
    return streamReply(context, events, cancel, {
      encode,
      closing: '',
      isLast: ({ kind }) => kind === 'done',
    });
  const isText = form.response_format === 'text';
  if (isText) request.expectType?.(TEXT_TYPE);
  const done = await lastOf(events);
  if (isText) return { status: 200, headers: { 'content-type': TEXT_TYPE }, body: `${done.text}\n` };
  return jsonReply({ text: done.text, usage: toUsage(done) });
}

type Done = Extract<TranscriptEvent, { kind: 'done' }>;

async function lastOf(events: AsyncIterable<TranscriptEvent>): Promise<Done> {
  for await (const event of events) if (event.kind === 'done') return event;
  throw new Error('the transcript ended without its last event');
}

/** Returns an event as OpenAI streams it. */
function encode(event: TranscriptEvent | Ping): string {
  switch (event.kind) {
    case 'ping':
      return SSE_PING;
    case 'text':
      return event.text === '' ? '' : sseTypedEvent(toDelta(event.text));
    case 'done':
      return sseTypedEvent(toLast(event));
    default:
      return event satisfies never;
  }
}

function toDelta(delta: string) {
  return { type: 'transcript.text.delta', delta };
}

function toLast(done: Done) {
  return { type: 'transcript.text.done', text: done.text, usage: toUsage(done) };
}

function toUsage({ inputTokens, outputTokens }: Done) {
  return {
    type: 'tokens',
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
