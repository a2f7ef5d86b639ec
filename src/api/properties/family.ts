import { defineFamily } from '../family.ts';
import { array, boolean, integer, object, string } from '../openapi/json-schema.ts';
import { applyTemplate, templateRequestSchema } from './apply-template.ts';
import { listSlots, tellProps } from './handler.ts';

/** What the clients of llama-server ask about the server and its model. */
export const properties = defineFamily({
  routes: [
    {
      method: 'GET',
      path: '/props',
      handler: tellProps,
      reportsState: true,
      id: 'props',
      summary: "A model's context window, slots, template and default parameters, in the form of llama-server.",
      response: 'Props',
    },
    {
      method: 'GET',
      path: '/slots',
      handler: listSlots,
      reportsState: true,
      id: 'listSlots',
      summary: 'The slots of a loaded model, and which of them are in use, in the form of llama-server.',
      response: 'Slots',
    },
    {
      method: 'POST',
      path: '/v1/apply-template',
      handler: applyTemplate,
      id: 'applyTemplate',
      summary: 'The prompt that a chat request becomes, as text.',
      body: { name: 'ApplyTemplateRequest', schema: templateRequestSchema },
      response: 'RenderedPrompt',
    },
  ],
  schemas: {
    Props: object({
      default_generation_settings: object({ n_ctx: integer, params: object({}) }),
      total_slots: integer,
      model_alias: string,
      model_path: string,
      modalities: object({ vision: boolean, audio: boolean }),
      chat_template: string,
      build_info: string,
      is_sleeping: boolean,
    }),
    Slots: array(object({ id: integer, n_ctx: integer, speculative: boolean, is_processing: boolean })),
    RenderedPrompt: object({ prompt: string }),
  },
});
