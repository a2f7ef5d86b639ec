import { defineFamily } from '../family.ts';
import { type ApiSchema, array, boolean, integer, nullable, number, object, string } from '../openapi/json-schema.ts';
import { createDecisions } from './handler.ts';
import { decisionRequestSchema } from './schema.ts';
import { answerSystemOne } from './systemone.ts';
import { systemOneRequestSchema } from './systemone-schema.ts';

const mapOf = (values: ApiSchema): ApiSchema => ({ type: 'object', additionalProperties: values });
const statement: ApiSchema = { anyOf: [string, { type: 'object' }, { type: 'array' }] };

const systemOneAnswer: ApiSchema = {
  anyOf: [
    object({ type: { const: 'noul' }, noul: number }),
    object({ type: { const: 'choice' }, choice: string, probabilities: mapOf(number), confidence: number }),
    object({
      type: { const: 'score' },
      score: number,
      legend: mapOf(nullable(statement)),
      probabilities: mapOf(number),
      confidence: number,
    }),
  ],
};

const name = nullable(string);
const value: ApiSchema = { anyOf: [string, boolean] };
const decision: ApiSchema = {
  anyOf: [
    object({ type: { const: 'predicate' }, name, probability: number }),
    object({
      type: { const: 'choice' },
      name,
      choice: value,
      confidence: number,
      probabilities: array(object({ value, probability: number })),
    }),
    object({
      type: { const: 'score' },
      name,
      score: number,
      confidence: number,
      probabilities: array(object({ value: integer, label: string, probability: number })),
    }),
  ],
};

/** Endpoints that answer typed questions about a state with probabilities, and write no text. */
export const decisions = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/systemone',
      handler: answerSystemOne,
      id: 'answerSystemOne',
      summary: 'The probabilities of the answers to questions about a state, in the form of System One.',
      body: { name: 'SystemOneRequest', schema: systemOneRequestSchema },
      response: 'SystemOneAnswers',
    },
    {
      method: 'POST',
      path: '/v1/decisions',
      handler: createDecisions,
      id: 'createDecisions',
      summary: 'The probabilities of the answers to questions about an input, in the form of OpenAI.',
      body: { name: 'DecisionRequest', schema: decisionRequestSchema },
      response: 'Decisions',
    },
  ],
  schemas: {
    SystemOneAnswers: object({
      model: string,
      answers: mapOf(systemOneAnswer),
      usage: object({ input_tokens: integer, output_tokens: integer }),
    }),
    Decisions: object({
      model: string,
      answers: array(decision),
      usage: object({
        input_tokens: integer,
        input_tokens_details: object({ cached_tokens: integer, cache_write_tokens: integer }),
        output_tokens: integer,
        output_tokens_details: object({ reasoning_tokens: integer }),
        total_tokens: integer,
      }),
    }),
  },
});
