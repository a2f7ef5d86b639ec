import { createApi } from '../../src/core/api/api.ts';
import type { ApiContext } from '../../src/core/api/context.ts';
import { authenticate } from '../../src/core/api/http/auth.ts';
import { type ApiReply, errorReply } from '../../src/core/api/http/http.ts';
import { streamPull } from '../../src/core/api/models/pull.ts';
import { ApiError, invalidRequest, methodNotAllowed } from '../../src/core/errors.ts';
import { consoleLog as log } from '../console-log.ts';
import { createBrowserMediaReader } from '../media/reader.ts';
import type { BrowserConfig, BrowserModel } from '../protocol.ts';
import { readCatalogue } from './catalogue.ts';
import { connect } from './connect.ts';
import type { Tabs } from './find-host.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { readHeaders, readRequest } from './request.ts';
import { respond, toResponse } from './respond.ts';
import { askState, type Connect, createRunner } from './runner.ts';

/** What the API is made of here. Everything is looked up anew for each request: a service worker may be stopped between two. */
export interface BrowserGround {
  tabs: Tabs;
  readModels: () => Promise<BrowserModel[]>;
  readConfig: () => Promise<BrowserConfig>;
  /** Paddock's, for `system_fingerprint`. */
  version: string;
}

/** A page's request to the API. */
export interface PageRequest {
  request: Request;
  /** Undecoded, from the service worker's scope on. */
  path: string;
  /** The page that asks. */
  clientId: string;
}

const media = createBrowserMediaReader();

const IMPORT_PATH = '/v1/models/import';

/** Whether the API is what a path belongs to. */
export function isApiPath(path: string): boolean {
  return /^\/(v1(\/.*)?|health|openapi\.json)$/.test(path);
}

/** Answers a page's request with the core, as the server would. */
export async function answer(ground: BrowserGround, { request, path, clientId }: PageRequest): Promise<Response> {
  const gone = new AbortController();
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ask: Connect = (what, signal) => connect(ground.tabs, { ...what, askingPage: clientId }, signal);

  try {
    const { context, jobs } = await prepare(ground, ask, tellsState(request, path), begin);
    if (path === IMPORT_PATH) return toResponse(await importModel(context, jobs, request));
    const reply = createApi(context)(await readRequest(request, path, gone.signal));
    return await respond({ reply, begun, cancel: () => gone.abort() });
  } catch (error) {
    if (!(error instanceof ApiError)) log.error('a request failed', { path, error: String(error) });
    return toResponse(errorReply(error));
  }
}

/** Whether the reply says what is loaded, which takes asking the engine first. */
function tellsState({ method }: Request, path: string): boolean {
  return path === '/health' || (method === 'GET' && /^\/v1\/models(\/|$)/.test(path));
}

async function prepare(ground: BrowserGround, ask: Connect, wantsState: boolean, onBegun: () => void) {
  const [config, catalogue, state] = await Promise.all([
    ground.readConfig(),
    readCatalogue(ground.readModels),
    wantsState ? askState(ask) : null,
  ]);
  const find = catalogue.model;
  const jobs = createJobs({ connect: ask, find, refresh: catalogue.refresh });
  const runner = createRunner({ connect: ask, find, state: () => state, onBegun });
  const { apiKeys, contentFilter, pingIntervalMs } = config;
  const context: ApiContext = {
    catalogue,
    runner,
    puller: jobs,
    remover: jobs,
    media,
    apiKeys,
    // Nobody but pages of this origin ever gets here.
    corsOrigins: [],
    contentFilter,
    pingIntervalMs,
    systemFingerprint: `paddock-${ground.version}`,
    noteUnknownFields: (fields) => log.debug('fields without a meaning', { fields }),
    log,
  };
  return { context, jobs };
}

/** POST /v1/models/import?filename=x.gguf: stores the GGUF that is the body; `size` in bytes may be told too. Answers as a pull does. */
async function importModel(context: ApiContext, jobs: Jobs, request: Request): Promise<ApiReply> {
  if (request.method !== 'POST') throw methodNotAllowed(request.method, IMPORT_PATH, ['POST']);
  authenticate(context.apiKeys, readHeaders(request));
  const query = new URL(request.url).searchParams;
  const filename = query.get('filename') ?? '';
  if (filename === '') throw invalidRequest('filename is required, as in ?filename=model.gguf.', 'filename');
  const size = query.get('size');
  if (size !== null && !/^\d+$/.test(size)) throw invalidRequest('size must be a number of bytes.', 'size');
  if (!request.body) throw invalidRequest('The request body is empty; a GGUF is required.', null, 'empty_body');
  const cancel = new AbortController();
  const events = jobs.importModel(filename, size === null ? null : Number(size), request.body, cancel.signal);
  return streamPull(context, events, cancel);
}
