import { ApiError } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import { mapLimited } from '../../utils/map-limited.ts';
import { callOf, type RequestContext } from '../context.ts';
import type { TextInput } from '../fields/text-input.ts';
import { type ApiReply, type ApiRequest, jsonReply, jsonTextReply } from '../http/http.ts';
import { jsonInTurns } from '../http/json-in-turns.ts';
import { LONGEST_TEXT } from '../tokens/schema.ts';
import { embedInputs } from '../vectors/embed.ts';
import { readOllamaModelRequest } from './read.ts';
import { embeddingsSchema, embedSchema } from './schema.ts';
import { startTimer } from './timer.ts';

/** The most special tokens that a model adds to a text. */
const MOST_SPECIAL = 2;

/** POST /api/embed: a vector of length 1 for each text. */
export async function ollamaEmbed(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const timer = startTimer();
  const { body, name, model } = await readOllamaModelRequest(context, request, embedSchema);
  const inputs = [body.input].flat();
  const dimensions = body.dimensions ?? undefined;
  const ask = (texts: TextInput[]) => embedInputs(context, request, model, texts, dimensions);
  const { vectors, tokens } = await ask(inputs).catch(async (error: unknown) => {
    const window = body.truncate === false ? undefined : windowOf(error);
    if (window === undefined) throw error;
    return ask(await cutAll(context, request, model, inputs, window - MOST_SPECIAL).catch(() => Promise.reject(error)));
  });
  const { total_duration } = timer.durations();
  // An engine does not report when it began, so the wait for the model counts as computation.
  const counts = { total_duration, load_duration: 0, prompt_eval_count: tokens };
  return jsonTextReply(await jsonInTurns({ model: name, embeddings: vectors, ...counts }));
}

/** POST /api/embeddings: the vector of one text. A text that is too long is refused. */
export async function ollamaEmbedOne(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readOllamaModelRequest(context, request, embeddingsSchema);
  const { vectors } = await embedInputs(context, request, model, [body.prompt], undefined);
  return jsonReply({ embedding: vectors[0] });
}

/**
 * Returns the context window, in tokens, if the error is that a text does not fit it; undefined for every other error.
 */
function windowOf(error: unknown): number | undefined {
  return error instanceof ApiError && error.data.code === 'context_length_exceeded' ? error.data.n_ctx : undefined;
}

/** Cuts each text to `most` tokens, and to `LONGEST_TEXT`. Throws if the engine can't tokenize. */
function cutAll(
  context: RequestContext,
  request: ApiRequest,
  model: ModelCard,
  texts: string[],
  most: number,
): Promise<TextInput[]> {
  return mapLimited(texts, 1, async (text) => {
    const question = { text: text.slice(0, LONGEST_TEXT), addSpecial: false, most, withPieces: false };
    const { tokens } = await context.runner.ask(model.id, 'tokenize', question, callOf(context, request));
    return tokens.length > most ? tokens.slice(0, most) : question.text;
  });
}
