import { defineFamily } from '../family.ts';
import { object } from '../openapi/json-schema.ts';
import { moderationRequestSchema, refuseModeration } from './handler.ts';

/** OpenAI's moderations. No model here makes them, and the reply says what does the same. */
export const moderations = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/moderations',
      handler: refuseModeration,
      id: 'createModeration',
      summary: 'Always a 501: no model here makes moderations.',
      body: { name: 'ModerationRequest', schema: moderationRequestSchema },
      response: 'Moderation',
    },
  ],
  schemas: { Moderation: object({}) },
});
