import {
  ApiError,
  invalidRequest,
  methodNotAllowed,
  pathNotFound,
  shuttingDown,
  toErrorData,
} from '../contract/errors.ts';
import { toLogFields, withFields } from '../contract/log.ts';
import { chat } from './chat/family.ts';
import { completions } from './completions/family.ts';
import { type ApiContext, extended, type RequestContext } from './context.ts';
import { type Family, isOpen, type Route } from './family.ts';
import { health } from './health/family.ts';
import { authenticate, checkManages } from './http/auth.ts';
import { corsHeaders, preflightReply } from './http/cors.ts';
import { dialectOf } from './http/dialect.ts';
import { type Api, type ApiReply, type ApiRequest, errorReply } from './http/http.ts';
import { canonicalPath } from './http/paths.ts';
import { type Reach, reachOf } from './http/reach.ts';
import { originNotAllowed } from './http/refusals.ts';
import { requestIdHeaders, requestIdOf } from './http/request-id.ts';
import { sessionOf } from './http/session.ts';
import { createLimiter, type Limiter } from './keys/limiter.ts';
import { onlyModels } from './keys/only-models.ts';
import { messages } from './messages/family.ts';
import { metrics } from './metrics/family.ts';
import { models } from './models/family.ts';
import { ollama } from './ollama/family.ts';
import { openApiOf } from './openapi/family.ts';
import { beginRecord, CLIENT_LEFT, endRecord, type Trace } from './record.ts';
import { responses } from './responses/family.ts';
import { hasLeft, reasonForClient, unlessEnded } from './stream/cancel.ts';
import { tokens } from './tokens/family.ts';
import { vectors } from './vectors/family.ts';

const DESCRIBED: Family[] = [chat, responses, messages, completions, vectors, tokens, models, ollama, health, metrics];

/** All endpoints of the API. Each family is a folder. */
export const FAMILIES: Family[] = [...DESCRIBED, openApiOf(DESCRIBED)];

/** A route with a pattern for its paths. The first group of the pattern, if any, is the handler's parameter. */
interface MatchedRoute {
  route: Route;
  pattern: RegExp;
}

const ROUTES: MatchedRoute[] = FAMILIES.flatMap(({ routes }) => routes).map((route) => ({
  route,
  pattern: patternOf(route),
}));

/** The routes of each path that a client can spell in one way only: most requests are for one of these. */
const ROUTES_BY_PATH = new Map(FAMILIES.flatMap(({ routes }) => routes).map(({ path }) => [path, findRoutes(path)]));

/** Makes the API from what its platform offers. Adds routing, keys, CORS, request ids, and errors as JSON. */
export function createApi(context: ApiContext): Api {
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
      const answered = answer(own, request, reach, cors, limiter);
      // What is answered already needs no signal, which would cost more than the answer.
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
      return headed(errorReply(error, dialectOf(request.path), trace.requestId), left);
    }
  };
}

function answer(
  context: RequestContext,
  request: ApiRequest,
  reach: Reach,
  cors: Record<string, string>,
  limiter: Limiter,
): ApiReply | Promise<ApiReply> {
  const { record } = context;
  if (request.refusal) throw request.refusal;
  const { path, taken, found } = findRoute(request);
  record.route = (found ?? taken[0])?.route.path ?? record.route;
  if (request.method === 'OPTIONS' && taken.length > 0) {
    const open = taken.filter(({ route }) => isWithin(reach, route));
    return preflightReply(request.headers, methodsOf(open), cors);
  }

  if (found && !isWithin(reach, found.route))
    throw originNotAllowed(request.headers.origin ?? 'other sites', reach === 'none' ? 'anything' : 'models');
  if (!found || !isOpen(found.route, context)) record.key = authenticate(context.apiKeys, request.headers);
  if (taken.length === 0) throw pathNotFound(request.method, request.path);
  if (!found) throw methodNotAllowed(request.method, request.path, allowedBy(taken));
  if (found.route.manages) checkManages(record.key);
  // Whatever changes something or asks a model is work.
  const isWork = found.route.method !== 'GET';
  if (isWork && context.leaving?.aborted) throw shuttingDown();
  if (isWork && record.key?.limits) record.pass = limiter.enter(record.key);
  const parameter = decodeParameter(found.pattern.exec(path)?.[1] ?? '');
  return found.route.handler(withModelsOf(context), request, parameter);
}

/** The context as its key sees it: models that it may not use do not exist. */
function withModelsOf(context: RequestContext): RequestContext {
  const models = context.record.key?.models;
  return models ? extended(context, { catalogue: onlyModels(context.catalogue, models) }) : context;
}

/** All routes at a request's path, and the one that it means. */
function findRoute({ method, path: asked }: ApiRequest) {
  const path = canonicalPath(asked);
  const taken = routesAt(path);
  // HEAD is GET, and the front end leaves the body out.
  const wanted = method === 'HEAD' ? 'GET' : method;
  return { path, taken, found: taken.find(({ route }) => route.method === wanted) };
}

/** Says whether the API has a route at a path. */
export function hasRoute(path: string): boolean {
  return routesAt(canonicalPath(path)).length > 0;
}

function routesAt(path: string): MatchedRoute[] {
  return ROUTES_BY_PATH.get(path) ?? findRoutes(path);
}

function findRoutes(path: string): MatchedRoute[] {
  return ROUTES.filter(({ pattern }) => pattern.test(path));
}

/** Says whether a web page of this reach may call the route. Any page may read: without CORS headers its browser shows it nothing. */
function isWithin(reach: Reach, { method, manages }: Route): boolean {
  return method === 'GET' || reach === 'all' || (reach === 'inference' && !manages);
}

function methodsOf(routes: { route: Route }[]): string[] {
  return routes.map(({ route }) => route.method);
}

/** The value of `Allow`. Preflights do not name HEAD: browsers allow it wherever they allow GET. */
function allowedBy(routes: { route: Route }[]): string[] {
  return [...methodsOf(routes).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
}

function patternOf({ path }: Route): RegExp {
  const escaped = path.replaceAll('.', '\\.').replace(/\{\w+\}/, '(.+)');
  return new RegExp(`^${escaped}$`);
}

function decodeParameter(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalidRequest('The path is not a valid URL encoding.');
  }
}
