import { readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type BatchObject, hasEnded } from '../../contract/batches.ts';
import { replaceFile } from '../../replace-file.ts';
import { Interrupted, UsageError } from '../../serve/errors.ts';
import { counted, note, print, printJson } from '../../serve/output.ts';
import { messageOf } from '../../utils/error-message.ts';
import { parseObject } from '../../utils/json.ts';
import { endpointOf, filesOfRun, orderedLike } from '../batch/file.ts';
import { type BatchClient, createBatchClient } from '../client/batches.ts';
import { runningServer } from '../client/reach.ts';
import { addSettings } from '../config/command.ts';
import { addUrlOptions, wantedServer } from './client-options.ts';

/** The interval between two looks at the batch, in ms. */
const LOOK_MS = 500;

/**
 * `paddock batch run`: sends a file of requests as a batch and waits for the results. The command fails with a
 * `UsageError` for a file that can't be read, with `Interrupted` after Ctrl-C, and with an `Error` if the batch is not
 * completed.
 */
export function registerBatch(program: Command): void {
  const group = program.command('batch').description('run files of requests behind all other requests of a server');
  const run = group
    .command('run')
    .description('run a file of requests on a running server, and write the results beside it')
    .argument('<file>', 'JSON lines with custom_id, method, url and body: asked.jsonl becomes asked.out.jsonl')
    .option('--json', 'print the batch as JSON when it has ended')
    .addHelpText(
      'after',
      '\nThe server goes on if this command ends early. The same command waits for the results then.',
    );
  addSettings(addUrlOptions(run), ['host', 'port']).action(runFile);
}

async function runFile(path: string, options: Record<string, unknown>): Promise<void> {
  const requests = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${path} can not be read: ${messageOf(error)}`);
  });
  const endpoint = endpointOf(requests, path);
  const server = await runningServer(wantedServer(options));
  const client = createBatchClient(server);
  const { results, unfinished } = filesOfRun(path);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  const begun =
    (await findBegun(client, server.url, unfinished)) ?? (await client.begin(basename(path), requests, endpoint));
  await replaceFile(unfinished, `${JSON.stringify({ url: server.url, batch: begun.id })}\n`);
  const batch = await waitForEnd(client, begun, stop.signal);
  if (!batch) throw new Interrupted('stopped; the server goes on, and the same command waits for the results');
  await rm(unfinished, { force: true });
  await fetchResults(client, batch, requests, results);
  if (options.json) printJson(batch);
  checkEnd(batch);
  const { total, failed } = batch.request_counts;
  if (!options.json) print(`${counted(total, 'request')}, ${failed} of them with an error: ${results}`);
}

/** Returns the batch of an earlier run of this file that was not over, if the server still knows it. */
async function findBegun(client: BatchClient, url: string, unfinished: string): Promise<BatchObject | null> {
  const known = parseObject(await readFile(unfinished, 'utf8').catch(() => ''));
  if (known?.url !== url || typeof known.batch !== 'string') return null;
  const batch = await client.find(known.batch);
  if (batch) note(`The batch ${batch.id} of an earlier run goes on.`);
  return batch;
}

/** Returns the batch when it has ended; null if `stop` aborts first. Shows its progress on a terminal. */
async function waitForEnd(client: BatchClient, begun: BatchObject, stop: AbortSignal): Promise<BatchObject | null> {
  const shows = process.stderr.isTTY;
  for (let batch: BatchObject | null = begun; ; batch = await client.find(begun.id)) {
    if (!batch) throw new Error(`the server does not know the batch ${begun.id} any more`);
    const { completed, failed, total } = batch.request_counts;
    if (shows) process.stderr.write(`\r${batch.status}: ${completed + failed} of ${total} requests, ${failed} failed `);
    const ended = hasEnded(batch);
    if (shows && (ended || stop.aborted)) process.stderr.write('\n');
    if (ended) return batch;
    await sleep(LOOK_MS, null, { signal: stop }).catch(() => {});
    if (stop.aborted) return null;
  }
}

/** Writes the results in the order of the requests, and deletes the files of the batch from the server. */
async function fetchResults(client: BatchClient, batch: BatchObject, requests: string, path: string): Promise<void> {
  const ids = [batch.output_file_id, batch.error_file_id].filter((id) => id !== null);
  const texts = await Promise.all(ids.map((id) => client.read(id)));
  // A batch that fails at once has no results: those of an earlier run stay.
  if (ids.length > 0) await replaceFile(path, orderedLike(requests, texts.join('')));
  for (const id of [batch.input_file_id, ...ids]) await client.remove(id);
}

/** Throws an `Error` that says why a batch is not completed. */
function checkEnd({ status, errors }: BatchObject): void {
  if (status === 'completed') return;
  const problems = (errors?.data ?? []).map(({ line, message }) =>
    line === null ? message : `line ${line}: ${message}`,
  );
  throw new Error([`the batch is ${status}`, ...problems].join('\n  '));
}
