import type { PullEvent, Puller } from '../contract/models/puller.ts';
import type { Metrics } from './metrics.ts';

/** The same puller. It tells how each pull ended: a reader that stops before has cancelled it. */
export function countPulls(puller: Puller, pulled: Metrics['pulled']): Puller {
  return {
    async *pull(source, signal): AsyncGenerator<PullEvent> {
      let outcome: Parameters<Metrics['pulled']>[0] = 'cancelled';
      try {
        for await (const event of puller.pull(source, signal)) {
          if (event.status === 'done') outcome = 'ok';
          yield event;
        }
      } catch (error) {
        if (!signal.aborted) outcome = 'failed';
        throw error;
      } finally {
        pulled(outcome);
      }
    },
  };
}
