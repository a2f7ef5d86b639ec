import { ApiError, invalidRequest, methodNotAllowed, pathNotFound } from '../errors.ts';
import { createChatCompletion } from './chat/handler.ts';
import { createTextCompletion } from './completions/handler.ts';
import type { ApiContext } from './context.ts';
import { health } from './health/handler.ts';
import { authenticate } from './http/auth.ts';
import { corsHeaders, preflightReply } from './http/cors.ts';
import { type Api, type ApiReply, type ApiRequest, errorReply } from './http/http.ts';
import { deleteModel, listModels, retrieveModel } from './models/handler.ts';
import { pullModel } from './models/pull.ts';
import { describeApi } from './openapi/document.ts';
import { detokenize, tokenize } from './tokens/handler.ts';
import { createEmbeddings } from './vectors/embeddings.ts';
import { rerank } from './vectors/rerank.ts';

type Handler = (context: ApiContext, request: ApiRequest, parameter: string) => ApiReply | Promise<ApiReply>;

interface Route {
  method: string;
  /** The first group, if any, is the handler's parameter. */
  path: RegExp;
  handler: Handler;
  /** Served without a key. */
  open?: true;
}

/** Every path of the API. Each is described in `openapi-operations.ts` too. */
export const ROUTES: Route[] = [
  { method: 'GET', path: /^\/health$/, handler: health, open: true },
  { method: 'GET', path: /^\/openapi\.json$/, handler: describeApi, open: true },
  { method: 'POST', path: /^\/v1\/chat\/completions$/, handler: createChatCompletion },
  { method: 'POST', path: /^\/v1\/completions$/, handler: createTextCompletion },
  { method: 'POST', path: /^\/v1\/embeddings$/, handler: createEmbeddings },
  { method: 'POST', path: /^\/v1\/rerank$/, handler: rerank },
  { method: 'POST', path: /^\/v1\/tokenize$/, handler: tokenize },
  { method: 'POST', path: /^\/v1\/detokenize$/, handler: detokenize },
  { method: 'GET', path: /^\/v1\/models$/, handler: listModels },
  { method: 'POST', path: /^\/v1\/models\/pull$/, handler: pullModel },
  { method: 'GET', path: /^\/v1\/models\/(.+)$/, handler: (context, _, id) => retrieveModel(context, id) },
  { method: 'DELETE', path: /^\/v1\/models\/(.+)$/, handler: (context, _, id) => deleteModel(context, id) },
];

/** The whole API over a ground's context: routing, keys, CORS, and errors as JSON. */
export function createApi(context: ApiContext): Api {
  return async (request) => {
    const cors = corsHeaders(request.headers, context.corsOrigins);
    try {
      const reply = await route(context, request, cors);
      return { ...reply, headers: { ...reply.headers, ...cors } };
    } catch (error) {
      // A client that has left is no failure.
      if (!(error instanceof ApiError) && !request.signal.aborted)
        context.log.error('request failed', { path: request.path, error: String(error) });
      const reply = errorReply(error);
      return { ...reply, headers: { ...reply.headers, ...cors } };
    }
  };
}

async function route(context: ApiContext, request: ApiRequest, cors: Record<string, string>): Promise<ApiReply> {
  const routes = ROUTES.filter(({ path }) => path.test(request.path));
  const methods = routes.map(({ method }) => method);
  if (request.method === 'OPTIONS' && routes.length > 0) return preflightReply(request.headers, methods, cors);

  const found = routes.find(({ method }) => method === request.method);
  if (!found?.open) authenticate(context.apiKeys, request.headers);
  if (routes.length === 0) throw pathNotFound(request.method, request.path);
  if (!found) throw methodNotAllowed(request.method, request.path, [...methods, 'OPTIONS']);
  return found.handler(context, request, decodeParameter(found.path.exec(request.path)?.[1] ?? ''));
}

function decodeParameter(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalidRequest('The path is not a valid URL encoding.');
  }
}
