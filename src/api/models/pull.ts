import { notSupportedHere, serverError } from '../../contract/errors.ts';
import type { RequestContext } from '../context.ts';
import { readBody } from '../fields/body.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { cancelWith } from '../stream/cancel.ts';
import { pullRequestSchema } from './schema.ts';
import { fetchedModel, streamPull } from './stream.ts';

/**
 * POST /v1/models/pull: fetches a model and reports its progress. A client that leaves ends its pull; what is fetched
 * by then is kept for the next pull. Throws an `ApiError` for anything that is wrong before the first byte can be
 * fetched.
 */
export async function pullModel(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const body = await readBody(context, request, pullRequestSchema);
  if (!context.puller) throw notSupportedHere('This Paddock can not pull models.');
  const cancel = cancelWith(request.signal);
  const events = context.puller.pull(body.model, cancel.signal);
  if (body.stream !== false) return streamPull(context, events, cancel);
  for await (const event of events) if (event.status === 'done') return jsonReply(fetchedModel(context, event.model));
  throw serverError();
}
