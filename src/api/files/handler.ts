import type { Batches, FileObject } from '../../contract/batches.ts';
import { type ApiError, notFound, notSupportedHere } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { readForm } from '../fields/form.ts';
import { undefinedFields } from '../fields/support.ts';
import { ownerOf } from '../http/auth.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { pageOf, readPage } from '../http/page.ts';
import { queryField } from '../http/query.ts';
import { endRecord } from '../record.ts';
import { fileFormSchema, KEPT_S } from './schema.ts';

/** The number of files on a page if the query does not say, and the most that it may ask for, as OpenAI has them. */
const MOST_ON_PAGE = 10_000;

/** Returns the files and batches of this platform. Throws a 501 `ApiError` if it has none. */
export function batchesOf({ batches }: Pick<RequestContext, 'batches'>): Batches {
  if (!batches) throw notSupportedHere('This Paddock keeps no files and runs no batches: it has no disk.');
  return batches();
}

/** POST /v1/files: stores the file of a batch. */
export async function createFile(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const form = await readForm(request, fileFormSchema);
  context.noteUnknownFields(undefinedFields(form, fileFormSchema.entries));
  const batches = batchesOf(context);
  const owner = await ownerOf(context.apiKeys, request);
  const { bytes, name } = form.file;
  const expiresAfter = form['expires_after[seconds]'] ?? KEPT_S;
  return jsonReply(await batches.addFile(owner, { filename: name, bytes, expiresAfter }));
}

/** GET /v1/files: a page of files, the newest first; `purpose` in the query chooses the ones of one purpose. */
export async function listFiles(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const batches = batchesOf(context);
  const wanted = readPage(request.query, { usual: MOST_ON_PAGE, most: MOST_ON_PAGE });
  const purpose = queryField(request.query, 'purpose');
  const files = batches.files(await ownerOf(context.apiKeys, request));
  const chosen = purpose === null ? files : files.filter((file) => file.purpose === purpose);
  return jsonReply(pageOf(chosen, wanted, (after) => fileNotFound(after, 'after')));
}

/** GET /v1/files/{file_id}. Throws a 404 `ApiError`. */
export async function getFile(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  return jsonReply(await findFile(context, request, id));
}

/** GET /v1/files/{file_id}/content: the text of a file. Throws a 404 `ApiError`. */
export async function getFileContent(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  await findFile(context, request, id);
  const body = recorded(context, batchesOf(context).readFile(id));
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** DELETE /v1/files/{file_id}. Throws a 404 `ApiError`, and a 409 for a file that a batch needs. */
export async function deleteFile(context: RequestContext, request: ApiRequest, id: string): Promise<ApiReply> {
  await findFile(context, request, id);
  await batchesOf(context).removeFile(id);
  return jsonReply({ id, object: 'file', deleted: true });
}

/** 404: the owner has no file of this id. */
export function fileNotFound(id: string, param: string): ApiError {
  return notFound(`There is no file '${id}'.`, param, 'file_not_found');
}

async function findFile(context: RequestContext, request: ApiRequest, id: string): Promise<FileObject> {
  const batches = batchesOf(context);
  const file = batches.findFile(await ownerOf(context.apiKeys, request), id);
  if (!file) throw fileNotFound(id, 'file_id');
  return file;
}

/** Returns the same text, which ends the record of the request at its end or when it is left, read or not. */
function recorded(context: RequestContext, pieces: AsyncIterable<string>): AsyncIterable<string> {
  const end = () => endRecord(context.record, context);
  return {
    [Symbol.asyncIterator]() {
      const source = pieces[Symbol.asyncIterator]();
      return {
        async next() {
          const step = await source.next().catch((error: unknown) => {
            end();
            throw error;
          });
          if (step.done) end();
          return step;
        },
        async return() {
          end();
          await source.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
