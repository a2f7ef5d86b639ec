import { createApi, ROUTES } from '../../src/api/api.ts';
import type { ApiContext } from '../../src/api/context.ts';
import { errorReply } from '../../src/api/http/http.ts';
import { isApiPath } from '../../src/api/http/paths.ts';
import { navigationNotAllowed } from '../../src/api/http/refusals.ts';
import { requestIdHeaders, requestIdOf } from '../../src/api/http/request-id.ts';
import { plainKeys } from '../../src/api/keys/plain.ts';
import type { ResponseStore } from '../../src/api/responses/store.ts';
import { invalidRequest } from '../../src/contract/errors.ts';
import { toLogFields } from '../../src/contract/log.ts';
import type { MachineSpeed } from '../../src/contract/machine-speed.ts';
import type { Finder } from '../../src/contract/models/finder.ts';
import type { Importer } from '../../src/contract/models/importer.ts';
import { measureBandwidth } from '../../src/utils/measure-bandwidth.ts';
import { once } from '../../src/utils/once.ts';
import { consoleLog as log } from '../console-log.ts';
import { createBrowserMediaReader } from '../media/reader.ts';
import type { BrowserConfig, BrowserModel } from '../protocol.ts';
import { readBrowserCatalogue } from './catalogue.ts';
import { type Connect, connect } from './connect.ts';
import type { Tabs } from './find-leader.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { headersOf, toApiRequest } from './request.ts';
import { respond, toResponse } from './respond.ts';
import { askState, createRunner } from './runner.ts';

/**
 * The parts of the API in a service worker. Each request looks them up anew: a service worker may be stopped between
 * two.
 */
export interface BrowserGround {
  tabs: Tabs;
  readModels: () => Promise<BrowserModel[]>;
  responses: ResponseStore;
  finder: Finder;
  /** Paddock's version, for `system_fingerprint`. */
  version: string;
}

/** A page's request to the API. */
export interface PageRequest {
  request: Request;
  /** The path within the API, undecoded. */
  path: string;
  /** The page that asks. */
  clientId: string;
  /** The configuration of this origin when the request came. */
  config: BrowserConfig;
}

/** A page's request, and the parts that its reply needs. */
interface Asked extends PageRequest {
  requestId: string;
  connect: Connect;
  /** Called when a generation has begun, so that it can no longer fail with a status code. */
  onBegun: () => void;
}

const media = createBrowserMediaReader();

const machine = once(async (): Promise<MachineSpeed | null> => {
  const bandwidth = await measureBandwidth();
  if (bandwidth === null) return null;
  return { bandwidth, threads: navigator.hardwareConcurrency, runtime: 'wasm', mediaRuntime: 'wasm' };
});

/**
 * True if a request is for the API. At a path without `/v1`, the site may have a file of its own, such as a page
 * `/models`: there the API takes requests for JSON, and requests of methods that no file answers.
 */
export function isForApi(path: string, { method, mode, headers }: Request): boolean {
  if (isApiPath(path)) return true;
  if (mode === 'navigate' || !ROUTES.has(path)) return false;
  const isRead = method === 'GET' || method === 'HEAD';
  return !isRead || headers.get('accept')?.includes('application/json') === true;
}

/** True if a request is an HTML form. Any site can send a form, and the browser does not tell which site did. */
export function isForm({ method, mode }: Pick<Request, 'method' | 'mode'>): boolean {
  return mode === 'navigate' && method !== 'GET' && method !== 'HEAD';
}

/** Answers a page's request with the core, as the server would. */
export async function answer(
  ground: BrowserGround,
  { request, path, clientId, config }: PageRequest,
): Promise<Response> {
  const gone = new AbortController();
  const requestId = requestIdOf(headersOf(request));
  if (isForm(request)) return failure(navigationNotAllowed(), path, requestId);
  let onBegun: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    onBegun = resolve;
  });
  const connectFor: Connect = (ask, signal) =>
    connect(ground.tabs, { ...ask, requestId, askingPage: clientId }, signal);

  try {
    const context = await prepare(ground, { request, path, clientId, config, requestId, connect: connectFor, onBegun });
    let type: string | undefined;
    const expectType = (expected: string) => {
      type = expected;
    };
    const reply = createApi(context)({ ...toApiRequest(request, path, requestId, gone.signal), expectType });
    return await respond({ reply, begun, cancel: () => gone.abort(), requestId, typeOf: () => type });
  } catch (error) {
    log.error('request failed', { requestId, path, ...toLogFields(error) });
    return failure(error, path, requestId);
  }
}

function failure(error: unknown, path: string, requestId: string): Response {
  const { headers, ...reply } = errorReply(error, ROUTES.dialectOf(path), requestId);
  return toResponse({ ...reply, headers: { ...headers, ...requestIdHeaders(requestId) } });
}

async function prepare(ground: BrowserGround, asked: Asked): Promise<ApiContext> {
  const { request, path, config, requestId, connect, onBegun } = asked;
  const { route } = ROUTES.find({ method: request.method, path });
  const [catalogue, state] = await Promise.all([
    readBrowserCatalogue(ground.readModels),
    route?.reportsState ? askState(connect, requestId) : null,
  ]);
  const find = catalogue.model;
  const jobs = createJobs({ requestId, connect, find, refresh: catalogue.refresh });
  const { apiKeys, contentFilter, pingIntervalMs } = config;
  return {
    catalogue,
    runner: createRunner({ connect, find, state, onBegun }),
    puller: jobs,
    importer: importerOf(request, jobs),
    remover: jobs,
    finder: ground.finder,
    media,
    // The processor's memory, which is measured, says nothing of a graphics card.
    ...(state?.device.backend !== 'webgpu' && { machine }),
    responses: ground.responses,
    apiKeys: plainKeys(apiKeys),
    // Only pages of this origin reach a service worker, and the navigations that `answer` refuses.
    pages: { origins: [], local: 'none' },
    contentFilter,
    pingIntervalMs,
    systemFingerprint: `paddock-${ground.version}`,
    noteUnknownFields: (fields) => log.debug('fields without a meaning', { fields }),
    log,
  };
}

/** Imports the body of this request. */
function importerOf(request: Request, jobs: Jobs): Importer {
  return {
    async *importModel(file, signal) {
      const body = await bodyOf(request);
      if (!body) throw invalidRequest('The request body is empty; a GGUF is required.', null, 'empty_body');
      yield* jobs.importModel(file, body, signal);
    },
  };
}

/**
 * Returns the body of a request; null if there is none. Firefox has no stream of it: there it is read as a whole first,
 * into a file of the browser's if it is large.
 */
async function bodyOf(request: Request): Promise<ReadableStream<Uint8Array> | null> {
  if (request.body !== undefined) return request.body;
  const whole = await (request as Request).blob();
  return whole.size > 0 ? whole.stream() : null;
}
