import { readlinkSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { findFormat } from '../src/chat/formats/index.ts';
import { createPreparer, type ModelTraits } from '../src/chat/prepare.ts';
import { ApiError } from '../src/contract/errors.ts';
import type { FromPrepareThread, PrepareResult, PrepareTask, PrepareThreadData } from '../src/engine/node/task.ts';
import { showSourceLines } from '../src/source-lines.ts';

showSourceLines();

/** The compiled templates of models, the most recently used one at the end. */
const preparers = new Map<string, ReturnType<typeof createPreparer>>();
const MOST_PREPARERS = 16;

const say = (message: FromPrepareThread) => parentPort?.postMessage(message);

// An error that is no `ApiError` ends the thread, and its parent gets it.
parentPort?.on('message', (task: PrepareTask) => say({ kind: 'done', result: prepare(task) }));
say({ kind: 'started', systemId: systemIdOfThread() });
const { template } = workerData as PrepareThreadData;
// Kept for the requests with this template, and its functions are compiled for others: it takes 20 to 40 ms.
if (template !== undefined) findFormat(template);

/** Renders a request's template and compiles its schemas. Throws all errors except an `ApiError`. */
function prepare({ traits, request }: PrepareTask): PrepareResult {
  try {
    return { ok: true, prepared: preparerFor(traits)(request) };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, error: error.data };
    throw error;
  }
}

function preparerFor(traits: ModelTraits): ReturnType<typeof createPreparer> {
  const key = JSON.stringify(traits);
  const known = preparers.get(key) ?? createPreparer(traits);
  preparers.delete(key);
  preparers.set(key, known);
  const [oldest] = preparers.keys();
  if (preparers.size > MOST_PREPARERS && oldest !== undefined) preparers.delete(oldest);
  return known;
}

/** Returns Linux's id of this thread; null on other systems. */
function systemIdOfThread(): number | null {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0] ?? Number.NaN) || null;
  } catch {
    return null;
  }
}
