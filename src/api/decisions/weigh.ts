import type { ModelCard } from '../../contract/models/model.ts';
import type { ReplyWeights } from '../../contract/questions.ts';
import { mapLimited } from '../../utils/map-limited.ts';
import { sum } from '../../utils/sum.ts';
import { callOf, type RequestContext } from '../context.ts';
import { toSettings } from '../generation/request.ts';
import type { ApiRequest } from '../http/http.ts';
import { reserveInputs } from '../keys/reserve.ts';
import { cancelWith } from '../stream/cancel.ts';
import { type AskedQuestions, modelPrompts } from './model-prompts.ts';
import { promptsOf, type QuestionPrompt } from './question.ts';
import { statementText } from './texts.ts';

/** The answers to the questions of one request. */
export interface WeighedQuestions {
  /** For each question, the probabilities of its options in their order. Their sum is 1. */
  probabilities: number[][];
  /** The tokens of all prompts. A choice has two prompts. */
  tokens: number;
  /** The number of these tokens that were in the KV cache. */
  cached: number;
}

/**
 * Returns how likely each option of each question about a state is. A decision model is asked with its own template, a chat model with a
 * message. The first question reads the state, and the others, side by side on
 * the slots of the model, find it in the KV cache. Throws a 400 `ApiError` that names `param`, the field with the state, for a prompt
 * that does not fit; a 429 if the key has no tokens left.
 */
export async function weighQuestions(
  context: RequestContext,
  request: Pick<ApiRequest, 'signal'>,
  model: ModelCard,
  { param, ...asked }: AskedQuestions & { param: string },
): Promise<WeighedQuestions> {
  const { decision } = model;
  const { questions } = asked;
  const state = statementText(asked.state);
  const promptsOfEach = questions.map((question) =>
    decision ? modelPrompts(decision, asked, question) : promptsOf(state, question),
  );
  const prompts = promptsOfEach.flat();
  reserveInputs(
    context.record,
    prompts.map(({ text }) => text),
  );
  if (context.logPrompts) context.log.info('prompt', { prompt: prompts.map(({ text }) => text) });
  // If one question fails, the others must end too.
  const cancel = cancelWith(request.signal);
  const weigh = (prompt: QuestionPrompt) => weighPrompt(context, cancel, model, prompt, param);
  try {
    const [first, ...others] = prompts;
    const weights = first ? [await weigh(first)] : [];
    weights.push(...(await mapLimited(others, sharedSlots(context, model), weigh)));
    let taken = 0;
    const takeWeights = (count: number) => {
      taken += count;
      return weights.slice(taken - count, taken);
    };
    return {
      probabilities: promptsOfEach.map((prompts) => average(prompts, takeWeights(prompts.length))),
      tokens: sum(weights.map(({ tokens }) => tokens)),
      cached: sum(weights.map(({ cached }) => cached)),
    };
  } finally {
    cancel.abort();
  }
}

/** Returns the number of slots that share one KV cache. On WebAssembly each slot is a thread with a cache of its own. */
function sharedSlots({ runner }: RequestContext, model: ModelCard): number {
  const loaded = runner.loaded().find(({ id }) => id === model.id);
  return !loaded || loaded.engine.backend === 'wasm' ? 1 : loaded.engine.slots;
}

async function weighPrompt(
  context: RequestContext,
  cancel: Pick<AbortController, 'signal'>,
  model: ModelCard,
  { prompt, spellings }: QuestionPrompt,
  param: string,
): Promise<ReplyWeights> {
  const request = {
    ...toSettings({ sampling: {}, maxTokens: 1, logprobs: null }, model, context.contentFilter),
    prompt,
    ...(context.session !== undefined && { cacheKey: context.session }),
  };
  const question = { request, options: spellings, param };
  const weights = await context.runner.ask(model.id, 'weighReplies', question, callOf(context, cancel));
  context.record.promptTokens += weights.tokens;
  context.record.cachedTokens += weights.cached;
  return weights;
}

/** Returns the mean probability of each option over the prompts of its question. */
function average(prompts: QuestionPrompt[], weights: ReplyWeights[]): number[] {
  const [first = [], ...others] = prompts.map(({ read }, index) => read(weights[index]?.probabilities ?? []));
  return first.map(
    (probability, option) => sum([probability, ...others.map((each) => each[option] ?? 0)]) / prompts.length,
  );
}
