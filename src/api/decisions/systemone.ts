import type { RequestContext } from '../context.ts';
import { readModelRequest } from '../fields/model-request.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { choiceConfidence, expectedLevel, mostLikely, scoreConfidence } from './figures.ts';
import { readQuestions, type SystemOneQuestion, systemOneRequestSchema } from './systemone-schema.ts';
import { weighQuestions } from './weigh.ts';

/** POST /v1/systemone: questions about a state, in the form of System One, each answered with probabilities. */
export async function answerSystemOne(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { body, model } = await readModelRequest(context, request, systemOneRequestSchema);
  const questions = readQuestions(body.questions);
  const weighed = await weighQuestions(context, request, model, {
    state: body.state,
    param: 'state',
    questions,
  });
  const answers = questions.map((question, index) => [
    question.id,
    toAnswer(question, weighed.probabilities[index] ?? []),
  ]);
  return jsonReply({
    model: model.id,
    answers: Object.fromEntries(answers),
    usage: { input_tokens: weighed.tokens, output_tokens: 0 },
  });
}

function toAnswer({ type, options, levels }: SystemOneQuestion, probabilities: number[]): object {
  const byText = Object.fromEntries(options.map(({ text }, index) => [text, probabilities[index] ?? 0]));
  switch (type) {
    case 'predicate':
      return { type: 'noul', noul: probabilities[0] ?? 0 };
    case 'choice': {
      const choice = options[mostLikely(probabilities)]?.text ?? '';
      return { type, choice, probabilities: byText, confidence: choiceConfidence(probabilities) };
    }
    case 'score': {
      const legend = Object.fromEntries(levels.entries());
      const confidence = scoreConfidence(probabilities);
      return { type, score: expectedLevel(probabilities), legend, probabilities: byText, confidence };
    }
    default:
      return type satisfies never;
  }
}
