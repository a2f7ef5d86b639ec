import { invalidRequest, notSupportedHere } from '../../contract/errors.ts';
import type { ImportedFile } from '../../contract/models/importer.ts';
import type { RequestContext } from '../context.ts';
import type { ApiReply, ApiRequest } from '../http/http.ts';
import { queryField } from '../http/query.ts';
import { cancelWith } from '../stream/cancel.ts';
import { streamPull } from './stream.ts';

/**
 * POST /v1/models/import?filename=x.gguf: stores the GGUF in the body. The query may give its `size` in bytes. The
 * reply is that of a pull. Throws an `ApiError` for anything that is wrong before the first byte is stored.
 */
export async function importModel(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const file = readImportedFile(request);
  if (!context.importer) {
    throw notSupportedHere('This Paddock takes no model files over HTTP: put them into its models folder.');
  }
  const cancel = cancelWith(request.signal);
  return streamPull(context, context.importer.importModel(file, cancel.signal), cancel);
}

function readImportedFile({ query }: ApiRequest): ImportedFile {
  const filename = queryField(query, 'filename');
  if (!filename) throw invalidRequest('filename is required, as in ?filename=model.gguf.', 'filename');
  const size = queryField(query, 'size');
  if (size !== null && !/^\d+$/.test(size)) throw invalidRequest('size must be a number of bytes.', 'size');
  return { filename, size: size === null ? null : Number(size) };
}
