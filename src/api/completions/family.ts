import { defineFamily } from '../family.ts';
import {
  array,
  completionHeadProperties,
  finishReason,
  integer,
  nullable,
  number,
  object,
  ref,
  string,
  violations,
} from '../openapi/json-schema.ts';
import { createTextCompletion } from './handler.ts';
import { completionRequestSchema } from './schema.ts';

const textChoice = object(
  {
    index: integer,
    text: string,
    logprobs: nullable(
      object({
        tokens: array(string),
        token_logprobs: array(nullable(number)),
        top_logprobs: array(nullable({ type: 'object', additionalProperties: number })),
        text_offset: array(integer),
      }),
    ),
    finish_reason: nullable(finishReason),
  },
  violations,
);

/** Plain completions: they continue a text or fill the gap before a suffix. */
export const completions = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/completions',
      handler: createTextCompletion,
      id: 'createCompletion',
      summary: 'The continuation of a text, or what fills the gap before a suffix, whole or as a stream of events.',
      body: { name: 'CompletionRequest', schema: completionRequestSchema },
      response: 'Completion',
      event: 'Completion',
    },
  ],
  schemas: {
    Completion: object(
      { ...completionHeadProperties('text_completion'), choices: array(textChoice) },
      { prompt_progress: ref('PromptProgress'), usage: ref('Usage'), timings: ref('Timings') },
    ),
  },
});
