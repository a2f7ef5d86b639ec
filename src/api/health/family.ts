import { defineFamily } from '../family.ts';
import { array, backend, enumeration, integer, object, string } from '../openapi/json-schema.ts';
import { ready, tellHealth } from './handler.ts';

/** The state of the server itself. */
export const health = defineFamily({
  routes: [
    {
      method: 'GET',
      path: '/health',
      handler: tellHealth,
      reportsState: true,
      open: true,
      id: 'health',
      summary: 'Whether the server lives and, for those with a key, what its loaded models run on.',
      response: 'Health',
    },
    {
      method: 'GET',
      path: '/ready',
      handler: ready,
      open: true,
      id: 'ready',
      summary:
        'Whether the server takes work: a 503 while it loads the models of --preload, and from the moment on that it begins to shut down.',
      response: 'Ready',
    },
  ],
  schemas: {
    Ready: object({ status: { const: 'ready' } }),
    Health: object(
      { status: { const: 'ok' } },
      {
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
        memory: object({ available: integer, held: integer }),
        moving: array(object({ id: string, state: enumeration('queued', 'loading', 'unloading'), waiting: integer })),
      },
    ),
  },
});
