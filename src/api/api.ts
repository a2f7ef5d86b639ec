import { ApiError, methodNotAllowed, pathNotFound, shuttingDown, toErrorData } from '../contract/errors.ts';
import { toLogFields, withFields } from '../contract/log.ts';
import { audio } from './audio/family.ts';
import { batches } from './batches/family.ts';
import { chat } from './chat/family.ts';
import { completions } from './completions/family.ts';
import { type ApiContext, extended, type RequestContext } from './context.ts';
import { conversations } from './conversations/family.ts';
import { decisions } from './decisions/family.ts';
import { type Family, isOpen, type Route } from './family.ts';
import { files } from './files/family.ts';
import { health } from './health/family.ts';
import { authenticate, checkManages } from './http/auth.ts';
import { corsHeaders, preflightReply } from './http/cors.ts';
import { type Api, type ApiReply, type ApiRequest, errorReply } from './http/http.ts';
import { type Reach, reachOf } from './http/reach.ts';
import { originNotAllowed } from './http/refusals.ts';
import { requestIdHeaders, requestIdOf } from './http/request-id.ts';
import { sessionOf } from './http/session.ts';
import { infilling } from './infill/family.ts';
import { createLimiter, type Limiter } from './keys/limiter.ts';
import { onlyModels } from './keys/only-models.ts';
import { messages } from './messages/family.ts';
import { metrics } from './metrics/family.ts';
import { models } from './models/family.ts';
import { moderations } from './moderations/family.ts';
import { ollama } from './ollama/family.ts';
import { openApiOf } from './openapi/family.ts';
import { properties } from './properties/family.ts';
import { beginRecord, CLIENT_LEFT, endRecord, type Trace } from './record.ts';
import { responses } from './responses/family.ts';
import { createRouteTable, type RouteTable } from './routes.ts';
import { hasLeft, reasonForClient, unlessEnded } from './stream/cancel.ts';
import { tokens } from './tokens/family.ts';
import { vectors } from './vectors/family.ts';

const DESCRIBED: Family[] = [
  chat,
  responses,
  conversations,
  messages,
  completions,
  infilling,
  decisions,
  vectors,
  audio,
  tokens,
  moderations,
  files,
  batches,
  models,
  ollama,
  properties,
  health,
  metrics,
];

/** All endpoints of the API. Each family is a folder. */
export const FAMILIES: Family[] = [...DESCRIBED, openApiOf(DESCRIBED)];

/** The routes of these families. */
export const ROUTES = createRouteTable(FAMILIES);

/** Makes the API from what its platform offers. Adds routing, keys, CORS, request ids, and errors as JSON. */
export function createApi(context: ApiContext, routes: RouteTable = ROUTES): Api {
  const limiter = createLimiter(() => performance.now());
  return async (request) => {
    const trace: Trace = { requestId: requestIdOf(request.headers) };
    const record = beginRecord(trace, request.method, request.headers.traceparent);
    const log = withFields(context.log, trace);
    const reach = reachOf(request.headers, context.pages);
    const cors = corsHeaders(request.headers, reach);
    const headed = (reply: ApiReply, left = false): ApiReply => {
      record.status = left ? CLIENT_LEFT.status : reply.status;
      if (left) record.error = CLIENT_LEFT.code;
      // A stream closes its record itself.
      if (typeof reply.body === 'string') endRecord(record, context);
      const limits = record.key?.limits ? limiter.headers(record.key) : undefined;
      // Several objects spread into one take nine times as long.
      const headers = Object.assign({}, reply.headers, cors, limits, requestIdHeaders(trace.requestId));
      return { status: reply.status, headers, body: reply.body };
    };
    try {
      const session = sessionOf(request.headers);
      const own = extended(context, { log, trace, record, ...(session !== undefined && { session }) });
      const answered = answer(own, request, routes, reach, cors, limiter);
      // A reply that is ready needs no signal. To create one takes longer than the reply.
      if ('status' in answered) return headed(answered);
      const reply = await unlessEnded(answered, request.signal);
      return headed(reply, hasLeft(request.signal));
    } catch (thrown) {
      const left = hasLeft(request.signal);
      const error = reasonForClient(request.signal) ?? thrown;
      // An error after the client has left is not a failure.
      if (!(error instanceof ApiError) && !left)
        log.error('request failed', { path: request.path, ...toLogFields(error) });
      record.error = toErrorData(error).code;
      return headed(errorReply(error, routes.dialectOf(request.path), trace.requestId), left);
    }
  };
}

function answer(
  context: RequestContext,
  request: ApiRequest,
  routes: RouteTable,
  reach: Reach,
  cors: Record<string, string>,
  limiter: Limiter,
): ApiReply | Promise<ApiReply> {
  const { record } = context;
  if (request.refusal) throw request.refusal;
  const { taken, route, parameter } = routes.find(request);
  record.route = (route ?? taken[0])?.path ?? record.route;
  if (request.method === 'OPTIONS' && taken.length > 0) {
    const open = taken.filter((other) => isWithin(reach, other));
    return preflightReply(request.headers, methodsOf(open), cors);
  }

  if (route && !isWithin(reach, route))
    throw originNotAllowed(request.headers.origin ?? 'other sites', reach === 'none' ? 'anything' : 'models');
  identify(context, request, route);
  if (taken.length === 0) throw pathNotFound(request.method, request.path);
  if (!route) throw methodNotAllowed(request.method, request.path, allowedBy(taken));
  if (route.manages) checkManages(record.key);
  // Requests that change something or run a model are work.
  const isWork = route.method !== 'GET';
  if (isWork && context.leaving?.aborted) throw shuttingDown();
  if (isWork && record.key?.limits) record.pass = limiter.enter(record.key, request.onBehalf !== undefined);
  return route.handler(withModelsOf(context), request, parameter());
}

/** Records the key and the party of a request. Throws a 401 `ApiError` for a request without a valid key, if it needs one. */
function identify(
  context: RequestContext,
  { headers, onBehalf }: Pick<ApiRequest, 'headers' | 'onBehalf'>,
  route: Route | undefined,
): void {
  const { record, apiKeys } = context;
  if (onBehalf) record.key = onBehalf.key;
  else if (!route || !isOpen(route, context)) record.key = authenticate(apiKeys, headers);
  record.party = onBehalf?.party ?? record.key;
}

/** Returns the context for the key of a request: its catalogue has only the models that the key may use. */
function withModelsOf(context: RequestContext): RequestContext {
  const models = context.record.key?.models;
  return models ? extended(context, { catalogue: onlyModels(context.catalogue, models) }) : context;
}

/**
 * True if a web page of this reach may call the route. Every page may GET: without CORS headers, the browser hides the
 * reply from it.
 */
function isWithin(reach: Reach, { method, manages }: Route): boolean {
  return method === 'GET' || reach === 'all' || (reach === 'inference' && !manages);
}

function methodsOf(routes: Route[]): string[] {
  return routes.map(({ method }) => method);
}

/** Returns the value of `Allow`. Preflights do not name HEAD: browsers allow it wherever they allow GET. */
function allowedBy(routes: Route[]): string[] {
  return [...methodsOf(routes).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
}
