import { type Log, toLogFields } from '../../contract/log.ts';
import { InsufficientMemory } from '../memory-estimate.ts';
import { stampOf } from './stamp.ts';
import type { LoadResult, WorkerConfig } from './task.ts';

/** What a process or a thread answers when its engine could not be loaded. The log gets the stack. */
export function loadFailure(error: unknown, { engine, stamp }: WorkerConfig, log: Log): LoadResult {
  log.debug('the engine could not be loaded', toLogFields(error));
  return {
    ok: false,
    reason: error instanceof Error ? error.message : String(error),
    lacksMemory: error instanceof InsufficientMemory,
    changed: stampOf(engine) !== stamp,
  };
}
