import type { Api } from '../api/http/http.ts';
import type { ApiKey, ApiKeys } from '../api/keys/key.ts';
import type { BatchObject, BatchProblem } from '../contract/batches.ts';
import { type Log, toLogFields } from '../contract/log.ts';
import { createSlotQueue } from '../dispatch/slot-queue.ts';
import { answerLine } from './answer.ts';
import { checkLines } from './check-lines.ts';
import type { FileStore } from './file-store.ts';
import type { BatchLimits } from './limits.ts';
import type { BatchRecord, BatchRecords } from './records.ts';
import { openResults, type Results } from './results.ts';
import { mostUnderWay, noteUnasked, runLines } from './run.ts';

/** Why a batch stops before all of its requests are answered. At the shutdown of the server it only pauses. */
export type BatchStop = 'cancelled' | 'expired' | 'key_removed' | 'shutdown';

/** How a batch ends: undefined if all of its requests are answered, `broken` if its files can't be read or written. */
type BatchEnd = Exclude<BatchStop, 'shutdown'> | 'broken' | undefined;

/** What batches need of their server. */
export interface BatchGround {
  api: Api;
  keys: ApiKeys;
  /** Returns the most slots of a loaded model; 0 while none is loaded. */
  slots: () => number;
}

/** What batches need of the disk. */
export interface BatchStores {
  files: FileStore;
  records: BatchRecords;
  limits: BatchLimits;
  /** Returns the time in seconds since 1970. */
  now: () => number;
  log: Log;
}

/** The most batches that run at once, each of another owner. The batches of one owner run one after the other. */
const MOST_RUNNING = 8;
/** Requests of batches have lower priorities than those of any key, and the same order between keys. */
const BELOW_ALL = -1000;

/**
 * Returns a function that takes a batch from where it is to its end, or to where `stop` aborts. The reason of `stop` is a `BatchStop`. It never
 * rejects.
 */
export function createLife(
  stores: BatchStores,
  ground: BatchGround,
): (id: string, stop: AbortController) => Promise<void> {
  const { records, now, log } = stores;
  const turns = createSlotQueue(MOST_RUNNING, Number.POSITIVE_INFINITY, { mostOfParty: 1 });
  return async (id, stop) => {
    let record: BatchRecord | null = null;
    try {
      record = await validated(stores, id);
      if (!record) return;
      const leave = await turns.acquire(stop.signal, 1, { name: record.owner, priority: 0 });
      try {
        await live(stores, ground, record, stop, leave !== null);
      } finally {
        leave?.();
      }
    } catch (error) {
      log.error('a batch failed', { batch: id, ...toLogFields(error) });
      // The disk may be full: then only this process knows until its end that the batch has failed.
      const ended = record ? end(stores, record, 'broken') : records.change(id, ending('broken', now()));
      await ended.catch(() => records.change(id, ending('broken', now()))).catch(() => {});
    }
  };
}

/** Checks the file of a batch, once. Returns null if the batch has failed by that. */
async function validated({ files, records, limits, now, log }: BatchStores, id: string): Promise<BatchRecord | null> {
  const record = records.get(id);
  if (record?.batch.status !== 'validating') return record ?? null;
  const { input_file_id: input, endpoint } = record.batch;
  const { total, problems } = await checkLines(files.pathOf(input), endpoint, limits.lines);
  if (problems.length > 0) {
    await records.change(id, failed(problems, now()));
    log.info('a batch has a wrong file', { batch: id, code: problems[0]?.code });
    return null;
  }
  // A client may have cancelled it meanwhile.
  const status = records.get(id)?.batch.status === 'validating' ? 'in_progress' : 'cancelling';
  await records.change(id, { status, in_progress_at: now(), request_counts: { total, completed: 0, failed: 0 } });
  log.info('a batch begins', { batch: id, requests: total });
  return records.get(id) ?? null;
}

/** Asks the open requests of a batch if it has its turn, and ends it, unless the server shuts down. */
async function live(
  stores: BatchStores,
  ground: BatchGround,
  record: BatchRecord,
  stop: AbortController,
  hasTurn: boolean,
) {
  const { files, records } = stores;
  const { id, endpoint, input_file_id: input } = record.batch;
  await using results = await openResults({
    outputs: files.pathOf(record.outputId),
    errors: files.pathOf(record.errorId),
  });
  const lines = { input: files.pathOf(input), endpoint, results };
  const count = () => records.count(id, { completed: results.counts.outputs, failed: results.counts.errors });
  count();
  if (hasTurn && record.batch.status === 'in_progress') await ask(ground, record, lines, count, stop);
  const { status, request_counts } = records.get(id)?.batch ?? record.batch;
  const isAnswered = request_counts.total === results.counts.outputs + results.counts.errors;
  const stopped = isAnswered ? undefined : (stop.signal.reason as BatchStop | undefined);
  const reason = status === 'cancelling' ? 'cancelled' : stopped;
  if (reason === 'shutdown') return;
  if (reason === 'expired' || reason === 'cancelled') await noteUnasked(lines, `batch_${reason}`);
  await end(stores, record, reason);
}

type Lines = { input: string; endpoint: string; results: Results };

async function ask(
  { api, keys, slots }: BatchGround,
  record: BatchRecord,
  lines: Lines,
  onResult: () => void,
  stop: AbortController,
) {
  const { owner, batch } = record;
  /** The key as it is now: its limits may have changed, or it may be gone. */
  const keyNow = (): ApiKey | null | undefined => {
    if (!keys.required) return null;
    return record.key === null ? undefined : keys.named(record.key);
  };
  await runLines(
    {
      ...lines,
      onResult,
      atOnce: () => mostUnderWay(slots(), keyNow() ?? null),
      async ask(body, signal) {
        const key = keyNow();
        if (key === undefined) stop.abort('key_removed' satisfies BatchStop);
        const party = { name: key?.name ?? '', priority: BELOW_ALL + (key?.priority ?? 0) };
        return answerLine(
          api,
          { endpoint: batch.endpoint, body, onBehalf: { owner, key: key ?? null, party } },
          signal,
        );
      },
    },
    stop.signal,
  );
}

/** Makes files of the results, and ends the batch. */
async function end({ files, records, now, log }: BatchStores, record: BatchRecord, reason: BatchEnd) {
  const { outputId, errorId, outputExpiresAfter, batch } = record;
  const { id } = batch;
  if (reason === undefined) await records.change(id, { status: 'finalizing', finalizing_at: now() });
  const output = await files.publish(record.owner, outputId, `${id}_output.jsonl`, outputExpiresAfter);
  const error = await files.publish(record.owner, errorId, `${id}_error.jsonl`, outputExpiresAfter);
  const ids = { output_file_id: output?.id ?? null, error_file_id: error?.id ?? null };
  await records.change(id, { ...ids, ...ending(reason, now()) });
  const counts = records.get(id)?.batch.request_counts;
  log.info('a batch has ended', { batch: id, status: records.get(id)?.batch.status, ...counts });
}

function ending(reason: BatchEnd, now: number): Partial<BatchObject> {
  switch (reason) {
    case undefined:
      return { status: 'completed', completed_at: now };
    case 'cancelled':
      return { status: 'cancelled', cancelled_at: now };
    case 'expired':
      return { status: 'expired', expired_at: now };
    case 'key_removed':
      return failed([problemOf('key_removed', 'The key that made the batch is gone.')], now);
    case 'broken':
      return failed([problemOf('server_error', 'The server could not read or write the files of the batch.')], now);
    default:
      return reason satisfies never;
  }
}

function problemOf(code: string, message: string): BatchProblem {
  return { code, message, param: null, line: null };
}

function failed(data: BatchProblem[], now: number): Partial<BatchObject> {
  return { status: 'failed', failed_at: now, errors: { object: 'list', data } };
}
