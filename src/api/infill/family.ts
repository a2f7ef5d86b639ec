import { defineFamily } from '../family.ts';
import { boolean, enumeration, integer, number, object, string } from '../openapi/json-schema.ts';
import { createFimCompletion } from './fim.ts';
import { infill } from './handler.ts';
import { fimRequestSchema, infillRequestSchema } from './schema.ts';

/** Endpoints that fill the gap between two texts, for the completions of editors. */
export const infilling = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/infill',
      handler: infill,
      id: 'infill',
      summary:
        'The text that fills the gap between two texts, in the form of llama-server, whole or as a stream of events.',
      body: { name: 'InfillRequest', schema: infillRequestSchema },
      response: 'Infill',
      event: 'Infill',
    },
    {
      method: 'POST',
      path: '/v1/fim/completions',
      handler: createFimCompletion,
      id: 'createFimCompletion',
      summary: 'The text that fills the gap before a suffix, in the form of Mistral, whole or as a stream of events.',
      body: { name: 'FimRequest', schema: fimRequestSchema },
      response: 'FimCompletion',
      event: 'FimChunk',
    },
  ],
  schemas: {
    // Each field may be missing: `response_fields` names the wanted ones.
    Infill: object(
      {},
      {
        index: integer,
        content: string,
        stop: boolean,
        model: string,
        tokens_predicted: integer,
        tokens_evaluated: integer,
        has_new_line: boolean,
        truncated: boolean,
        stop_type: enumeration('eos', 'limit', 'word'),
        stopping_word: string,
        tokens_cached: integer,
        timings: object({
          cache_n: integer,
          prompt_n: integer,
          prompt_ms: number,
          prompt_per_token_ms: number,
          prompt_per_second: number,
          predicted_n: integer,
          predicted_ms: number,
          predicted_per_token_ms: number,
          predicted_per_second: number,
        }),
      },
    ),
    FimCompletion: { $ref: '#/components/schemas/ChatCompletion' },
    FimChunk: { $ref: '#/components/schemas/ChatCompletionChunk' },
  },
});
