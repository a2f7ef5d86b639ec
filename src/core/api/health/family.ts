import { defineFamily } from '../family.ts';
import { array, backend, enumeration, integer, object, string } from '../openapi/json-schema.ts';
import { health as handler } from './handler.ts';

/** The state of the server itself. */
export const health = defineFamily({
  routes: [
    {
      method: 'GET',
      path: '/health',
      handler,
      open: true,
      id: 'health',
      summary: 'Whether the server lives, and what its loaded models run on.',
      response: 'Health',
    },
  ],
  schemas: {
    Health: object({
      status: { const: 'ok' },
      models: array(
        object({
          id: string,
          backend,
          device: string,
          fallback_reasons: array(string),
          context_length: integer,
          slots: integer,
          memory: integer,
          busy: integer,
          waiting: integer,
        }),
      ),
      moving: array(object({ id: string, state: enumeration('queued', 'loading', 'unloading'), waiting: integer })),
    }),
  },
});
