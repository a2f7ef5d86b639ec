import { notSupportedHere } from '../../contract/errors.ts';
import type { Finder } from '../../contract/models/finder.ts';
import type { RequestContext } from '../context.ts';
import { readBody } from '../fields/body.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { searchRequestSchema, variantsRequestSchema } from './schema.ts';

/** The number of repositories that a search returns by default. */
const FOUND = 20;

/** POST /v1/models/search: the hub's repositories for these words. Throws an `ApiError` if the hub does not answer. */
export async function searchModels(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { query, limit } = await readBody(context, request, searchRequestSchema);
  const found = await finderOf(context).search(query.trim(), limit ?? FOUND, request.signal);
  return jsonReply({ object: 'list', data: found.map(({ repo, ...facts }) => ({ id: repo, ...facts })) });
}

/**
 * POST /v1/models/variants: the variants at a source, of which a pull gets one. Throws an `ApiError` as a pull does.
 */
export async function listVariants(context: RequestContext, request: ApiRequest): Promise<ApiReply> {
  const { model } = await readBody(context, request, variantsRequestSchema);
  const { variants, ...about } = await finderOf(context).offer(model, request.signal);
  return jsonReply({ object: 'list', ...about, data: variants });
}

function finderOf({ finder }: RequestContext): Finder {
  if (!finder) throw notSupportedHere('This Paddock can not look for models.');
  return finder;
}
