import { ROUTES } from '../../src/api/api.ts';
import { errorReply } from '../../src/api/http/http.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { holdLock } from '../liveness.ts';
import { type BrowserConfig, connectionLock, type HomeServer, SERVER_STATE, type ServerState } from '../protocol.ts';
import { isForm } from './api.ts';
import { toResponse } from './respond.ts';

/** How long the known state of the server is used before it is checked again, in ms. */
const FRESH_MS = 3000;

/** A server that does not answer /health within this time counts as silent, in ms. */
const CHECK_MS = 2000;

/** The request headers that are sent on to the server. */
const PASSED_ON = ['accept', 'content-type', 'authorization', 'x-request-id'];
/** The response headers that are sent back to the page. */
const PASSED_BACK = ['content-type', 'x-request-id', 'retry-after'];

interface Asked {
  request: Request;
  path: string;
}

/** Sends API requests to the user's own server while it can be reached, and to the engine of this browser otherwise. */
export interface Roam {
  /** Returns the answer of the server, or that of `answerHere`, which asks this browser and gets the configuration. */
  answer(asked: Asked, answerHere: (config: BrowserConfig) => Promise<Response>): Promise<Response>;
}

interface Needs {
  readConfig: () => Promise<BrowserConfig>;
  ask: typeof fetch;
  /** The current time, in ms. */
  now: () => number;
  locks: LockManager;
}

export function createRoam({ readConfig, ask, now, locks }: Needs): Roam {
  let known: { url: string; at: number; state: Promise<ServerState> } | null = null;

  const note = (url: string, state: Promise<ServerState>) => {
    known = { url, at: now(), state };
    return state;
  };
  const look = (server: HomeServer): Promise<ServerState> => {
    const isFresh = known?.url === server.url && now() - known.at < FRESH_MS;
    return isFresh && known ? known.state : note(server.url, checkServer(server, ask));
  };

  return {
    async answer({ request, path }, answerHere) {
      const config = await readConfig();
      const { server } = config;
      const local = () => answerHere(config);
      // A form may come from any site, which the browser does not tell, and the request would get the user's key.
      if (!server || isForm(request)) return local();
      const state = await look(server);
      if (state !== 'answers') return marked(await local(), state);
      try {
        return marked(await passOn({ request, path }, server, { ask, locks }), 'answers');
      } catch (error) {
        if (request.signal.aborted) throw error;
        const gone = await note(server.url, Promise.resolve('silent'));
        const isRead = request.method === 'GET' || request.method === 'HEAD';
        // The server may have begun to answer a request that changes something, so it is not repeated here.
        return marked(isRead ? await local() : failure(path, server), gone);
      }
    },
  };
}

/** Finds out if a server answers, and if it lets this origin read the answers. */
async function checkServer({ url, key }: HomeServer, ask: typeof fetch): Promise<ServerState> {
  const health = new URL('health', url);
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const signal = AbortSignal.timeout(CHECK_MS);
  try {
    const response = await ask(health, { headers, signal, cache: 'no-store' });
    const { status } = (await response.json()) as { status?: unknown };
    if (status === 'ok') return 'answers';
    return response.status === 403 ? 'refuses' : 'silent';
  } catch {
    if (signal.aborted) return 'silent';
    // The browser does not say why a response can't be read. A request without CORS shows if there is a server at all.
    const answers = await ask(health, { mode: 'no-cors', signal, cache: 'no-store' }).then(
      () => true,
      () => false,
    );
    return answers ? 'refuses' : 'silent';
  }
}

/**
 * Sends a request to the server and returns its reply. A connection's lock is held from then until the reply is read, so that
 * the pages keep the service worker awake.
 */
async function passOn(
  { request, path }: Asked,
  server: HomeServer,
  { ask, locks }: Pick<Needs, 'ask' | 'locks'>,
): Promise<Response> {
  const { method, signal } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const body = isRead ? null : await request.blob();
  const target = new URL(path.slice(1) + new URL(request.url).search, server.url);
  const headers = chosen(request.headers, PASSED_ON);
  if (server.key !== null) headers.set('authorization', `Bearer ${server.key}`);
  const release = await holdLock(connectionLock(crypto.randomUUID()), locks);
  try {
    const response = await ask(target, { method, headers, body, signal, cache: 'no-store' });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const relayed =
      response.body &&
      relay(response.body, { onEnd: release, signal, ...(isStream && { lastWords: brokenOff(server) }) });
    if (!relayed) release();
    return new Response(relayed, { status: response.status, headers: chosen(response.headers, PASSED_BACK) });
  } catch (error) {
    release();
    throw error;
  }
}

function chosen(headers: Headers, names: readonly string[]): Headers {
  const some = new Headers();
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) some.set(name, value);
  }
  return some;
}

/**
 * Returns the body. `onEnd` is called when it ends, breaks off or is not read any more. With `lastWords`, a body that breaks off
 * ends with them, unless the page has aborted its request: then the server is not gone, and the body ends with the abort.
 */
function relay(
  body: ReadableStream<Uint8Array>,
  { onEnd, signal, lastWords }: { onEnd: () => void; signal: AbortSignal; lastWords?: string },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        if (lastWords === undefined || signal.aborted) controller.error(error);
        else {
          controller.enqueue(new TextEncoder().encode(lastWords));
          controller.close();
        }
      }
      onEnd();
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
}

/** Returns the error event with which a stream ends that breaks off. */
function brokenOff(server: HomeServer): string {
  const { status: _, ...error } = serverGone(server).data;
  return `\n\ndata: ${JSON.stringify({ error })}\n\n`;
}

function serverGone({ url }: HomeServer): ApiError {
  return new ApiError({
    status: 503,
    type: 'server_error',
    code: 'server_gone',
    param: null,
    message: `${new URL(url).host} has gone away. This browser’s own engine answers until it is back: ask again.`,
  });
}

function failure(path: string, server: HomeServer): Response {
  return toResponse(errorReply(serverGone(server), ROUTES.dialectOf(path)));
}

function marked(response: Response, state: ServerState): Response {
  const headers = new Headers(response.headers);
  headers.set(SERVER_STATE, state);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
