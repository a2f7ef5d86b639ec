import { defineFamily } from '../family.ts';
import { array, integer, object, string } from '../openapi/json-schema.ts';
import { detokenize, tokenize } from './handler.ts';
import { detokenizeRequestSchema, tokenizeRequestSchema } from './schema.ts';

/** Endpoints that turn text into tokens, and tokens into text. */
export const tokens = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/tokenize',
      handler: tokenize,
      id: 'tokenize',
      summary: "The tokens of a text in a model's vocabulary.",
      body: { name: 'TokenizeRequest', schema: tokenizeRequestSchema },
      response: 'TokenList',
    },
    {
      method: 'POST',
      path: '/v1/detokenize',
      handler: detokenize,
      id: 'detokenize',
      summary: 'The text that tokens stand for.',
      body: { name: 'DetokenizeRequest', schema: detokenizeRequestSchema },
      response: 'Text',
    },
  ],
  schemas: {
    TokenList: object({
      tokens: { anyOf: [array(integer), array(object({ id: integer, piece: { anyOf: [string, array(integer)] } }))] },
    }),
    Text: object({ content: string }),
  },
});
