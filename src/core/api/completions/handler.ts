import type { Prompt } from '../../runner.ts';
import type { ApiContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelOnReturn, cancelWith } from '../stream/cancel.ts';
import { eventStream } from '../stream/event-stream.ts';
import { applyOverflowPolicy } from '../stream/overflow.ts';
import { withPings } from '../stream/pings.ts';
import { SSE_HEADERS } from '../stream/sse.ts';
import { mergeGenerations } from './merge.ts';
import { CHAT_FIELDS, refuseContradictions, toCompletionGeneration, toPrompts } from './request.ts';
import { completionRequestSchema } from './schema.ts';
import { createCompletionEncoder } from './stream.ts';
import { collectTextCompletion, type TextChoice, textCompletionHead } from './whole.ts';

/** POST /v1/completions, whole or streamed. The prompts of one request run side by side. */
export async function createTextCompletion(context: ApiContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = readModelRequest(context, request, completionRequestSchema, CHAT_FIELDS);
  refuseContradictions(body);
  const prompts = toPrompts(body);
  const generation = toCompletionGeneration(body, model, context.contentFilter);

  const cancel = cancelWith(request.signal);
  const echo = (prompt: Prompt) => (body.echo ? textOf(context, model.id, prompt, cancel.signal) : '');
  const echoes = await Promise.all(prompts.map(echo));
  const choices = echoes.flatMap((text) =>
    Array.from(
      { length: generation.choices },
      (): TextChoice => ({ echo: text, logprobs: generation.logprobs !== null }),
    ),
  );
  // One's failure must end the others, and yet not pass for the client's leaving.
  const runs = cancelWith(cancel.signal);
  const events = mergeGenerations(
    prompts.map((prompt) =>
      applyOverflowPolicy(
        context.runner.generate(model.id, { prompt, ...generation }, runs.signal),
        body.context_overflow ?? 'length',
        { param: 'prompt', choices: generation.choices },
      ),
    ),
    generation.choices,
    runs,
  );
  const head = textCompletionHead(model.id, context.systemFingerprint, Date.now());
  if (!(body.stream ?? model.parameters.stream ?? false)) {
    return jsonReply(await collectTextCompletion(events, head, choices));
  }

  const pinged = withPings(events, context.pingIntervalMs);
  // What fails before anything is known of the generation throws here, and so is still a status code.
  const first = await pinged.next();
  const encode = createCompletionEncoder(head, choices, {
    includeUsage: body.stream_options?.include_usage ?? false,
    returnProgress: body.return_progress ?? false,
  });
  const stream = eventStream(first, pinged, encode, (error) => {
    if (!cancel.signal.aborted) context.log.error('stream failed', { error: String(error) });
  });
  return { status: 200, headers: SSE_HEADERS, body: cancelOnReturn(stream, cancel) };
}

/** A prompt as the reply repeats it. */
async function textOf({ runner }: ApiContext, modelId: string, prompt: Prompt, signal: AbortSignal): Promise<string> {
  switch (prompt.kind) {
    case 'text':
      return prompt.text;
    case 'infill':
      return prompt.prefix;
    case 'tokens':
      return (await runner.ask(modelId, 'detokenize', { tokens: prompt.tokens }, signal)).text;
    case 'chat':
      throw new Error('a plain completion has no conversation');
    default:
      return prompt satisfies never;
  }
}
