import { defineFamily } from '../family.ts';
import { string } from '../openapi/json-schema.ts';
import { tellMetrics } from './handler.ts';

/** The metrics for monitoring. */
export const metrics = defineFamily({
  routes: [
    {
      method: 'GET',
      path: '/metrics',
      handler: tellMetrics,
      open: 'metricsOpen',
      manages: true,
      id: 'metrics',
      summary:
        "The server's metrics in Prometheus's text format, for a key that may manage, or for anybody where the server is set so.",
      response: 'Metrics',
      text: true,
    },
  ],
  schemas: { Metrics: string },
});
