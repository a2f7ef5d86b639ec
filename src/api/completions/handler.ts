import type { CallContext } from '../../contract/call-context.ts';
import type { Prompt } from '../../contract/prompt.ts';
import { callOf, type RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { runGeneration } from '../generation/start.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamReply } from '../stream/event-stream.ts';
import { createCompletionHead } from '../stream/usage.ts';
import { withEcho } from './echo.ts';
import { mergeGenerations } from './merge.ts';
import { CHAT_FIELDS, refuseContradictions, toCompletionGeneration, toPrompts } from './request.ts';
import { completionRequestSchema } from './schema.ts';
import { createCompletionEncoder } from './stream.ts';
import { collectTextCompletion, type TextChoice } from './whole.ts';

/** POST /v1/completions: a whole reply or a stream. The prompts of one request run at the same time. */
export async function createTextCompletion(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, completionRequestSchema, CHAT_FIELDS);
  refuseContradictions(body);
  const prompts = toPrompts(body);
  const generation = toCompletionGeneration(body, model, context.contentFilter);
  const overflow = body.context_overflow ?? 'length';

  const cancel = cancelWith(request.signal);
  const echo = (prompt: Prompt) => (body.echo ? textOf(context, model.id, prompt, callOf(context, cancel)) : '');
  const echoes = await Promise.all(prompts.map(echo));
  const choices: TextChoice[] = Array(prompts.length * generation.choices).fill({
    logprobs: generation.logprobs !== null,
  });
  // If one generation fails, the others must end too. They get a signal of their own, since aborting `cancel` would
  // look as if the client had left.
  const runs = cancelWith(cancel.signal);
  const generate = (prompt: Prompt, index: number) => {
    const events = runGeneration(context, runs, model, { prompt, ...generation }, { overflow, param: 'prompt' });
    return echoes[index] ? withEcho(events, echoes[index]) : events;
  };
  const events = mergeGenerations(prompts.map(generate), generation.choices, runs);
  const head = createCompletionHead('cmpl', model.id, context.systemFingerprint, Date.now());
  if (!(body.stream ?? model.parameters.stream ?? false)) {
    return jsonReply(await collectTextCompletion(events, head, choices));
  }
  const encode = createCompletionEncoder(head, choices, {
    includeUsage: body.stream_options?.include_usage ?? false,
    returnProgress: body.return_progress ?? false,
  });
  return streamReply(context, events, cancel, { encode, isLast: ({ kind }) => kind === 'done' });
}

/** Returns the text of a prompt, for `echo`. */
async function textOf({ runner }: RequestContext, modelId: string, prompt: Prompt, call: CallContext): Promise<string> {
  switch (prompt.kind) {
    case 'text':
      return prompt.text;
    case 'infill':
      return prompt.prefix;
    case 'tokens':
      return (await runner.ask(modelId, 'detokenize', { tokens: prompt.tokens }, call)).text;
    case 'chat':
    case 'decision':
      throw new Error('a plain completion has no conversation and no question');
    default:
      return prompt satisfies never;
  }
}
