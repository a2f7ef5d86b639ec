import type { BatchObject } from '../../contract/batches.ts';
import { type ApiError, invalidRequest, notFound } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { readBody } from '../fields/body.ts';
import { batchesOf, fileNotFound } from '../files/handler.ts';
import { KEPT_S } from '../files/schema.ts';
import { ownerOf } from '../http/auth.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { pageOf, readPage } from '../http/page.ts';
import { batchRequestSchema } from './schema.ts';

/** The number of batches on a page if the query does not say, and the most that it may ask for. */
const PAGE = 20;
const MOST_ON_PAGE = 100;

/** POST /v1/batches: begins to ask the lines of a stored file. Throws a 404 `ApiError` if there is no such file. */
export async function createBatchJob(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const body = await readBody(context, request, batchRequestSchema);
  const batches = batchesOf(context);
  const owner = await ownerOf(context.apiKeys, request);
  const file = batches.findFile(owner, body.input_file_id);
  if (!file) throw fileNotFound(body.input_file_id, 'input_file_id');
  if (file.purpose !== 'batch')
    throw invalidRequest('input_file_id must be a file with the purpose batch.', 'input_file_id');
  const batch = await batches.create(
    { id: owner, key: context.record.key?.name ?? null },
    {
      inputFileId: file.id,
      endpoint: body.endpoint,
      metadata: body.metadata ?? null,
      outputExpiresAfter: body.output_expires_after?.seconds ?? KEPT_S,
    },
  );
  return jsonReply(batch);
}

/** GET /v1/batches: a page of batches, the newest first. */
export async function listBatches(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const batches = batchesOf(context);
  const wanted = readPage(request.query, { usual: PAGE, most: MOST_ON_PAGE });
  const list = batches.list(await ownerOf(context.apiKeys, request));
  return jsonReply(pageOf(list, wanted, (after) => batchNotFound(after, 'after')));
}

/** GET /v1/batches/{batch_id}. Throws a 404 `ApiError`. */
export async function getBatch(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  return jsonReply(await findBatch(context, request, id));
}

/** POST /v1/batches/{batch_id}/cancel. Throws a 404 `ApiError`. */
export async function cancelBatch(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  await findBatch(context, request, id);
  return jsonReply(await batchesOf(context).cancel(id));
}

async function findBatch(context: RequestContext, request: ApiRequest, id: string): Promise<BatchObject> {
  const batches = batchesOf(context);
  const batch = batches.find(await ownerOf(context.apiKeys, request), id);
  if (!batch) throw batchNotFound(id, 'batch_id');
  return batch;
}

function batchNotFound(id: string, param: string): ApiError {
  return notFound(`There is no batch '${id}'.`, param, 'batch_not_found');
}
