import { extended, type RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { choiceConfidence, expectedLevel, mostLikely, scoreConfidence } from './figures.ts';
import { inputText } from './input.ts';
import { type AskedDecision, decisionRequestSchema, readDecisions } from './schema.ts';
import { weighQuestions } from './weigh.ts';

/** POST /v1/decisions: questions about an input, in the form of OpenAI, each answered with probabilities. */
export async function createDecisions(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, decisionRequestSchema);
  const questions = readDecisions(body.questions);
  const session = body.prompt_cache_key ?? context.session;
  const named = session === undefined ? context : extended(context, { session });
  const asked = { state: inputText(body.input), param: 'input', questions };
  const { probabilities, tokens, cached } = await weighQuestions(named, request, model, asked);
  return jsonReply({
    model: model.id,
    answers: questions.map((question, index) => toAnswer(question, probabilities[index] ?? [])),
    usage: {
      input_tokens: tokens,
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokens,
    },
  });
}

function toAnswer({ type, name, values, labels }: AskedDecision, chances: number[]): object {
  switch (type) {
    case 'predicate':
      return { type, name, probability: chances[0] ?? 0 };
    case 'choice': {
      const probabilities = values.map((value, index) => ({ value, probability: chances[index] ?? 0 }));
      return { type, name, choice: values[mostLikely(chances)], confidence: choiceConfidence(chances), probabilities };
    }
    case 'score': {
      const probabilities = labels.map((label, value) => ({ value, label, probability: chances[value] ?? 0 }));
      return { type, name, score: expectedLevel(chances), confidence: scoreConfidence(chances), probabilities };
    }
    default:
      return type satisfies never;
  }
}
