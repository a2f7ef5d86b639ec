import { type Log, toLogFields } from '../../contract/log.ts';
import { messageOf } from '../../utils/error-message.ts';
import { InsufficientMemory } from '../memory-estimate.ts';
import { stampOf } from './stamp.ts';
import type { LoadResult, WorkerConfig } from './task.ts';

/** Returns the answer of a process or a thread whose engine could not be loaded. Logs the error with its stack. */
export function failedLoadResult(error: unknown, { engine, stamp }: WorkerConfig, log: Log): LoadResult {
  log.debug('the engine could not be loaded', toLogFields(error));
  return {
    ok: false,
    reason: messageOf(error),
    lacksMemory: error instanceof InsufficientMemory,
    changed: stampOf(engine) !== stamp,
  };
}
