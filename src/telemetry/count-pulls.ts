import type { PullEvent, Puller } from '../contract/models/puller.ts';
import type { Metrics } from './metrics.ts';

/**
 * Returns a puller that reports how each pull ended. A pull is cancelled if its reader stops before the end. The puller
 * throws what `puller` throws.
 */
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
