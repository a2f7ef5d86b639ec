import { Agent, type IncomingMessage, request } from 'node:http';
import { ROUTES } from '../../src/api/api.ts';
import type { Dialect } from '../../src/api/http/dialect.ts';
import { anthropicErrors } from '../../src/api/messages/errors.ts';
import { ollamaErrors } from '../../src/api/ollama/errors.ts';
import { parseObject } from '../../src/utils/json.ts';

/** A request. A text body is sent as it is; any other body is sent as JSON. */
export interface Sent {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** An error response of a server. */
export interface Refusal {
  status: number;
  /** True for an error object of Paddock. */
  ours: boolean;
  /** Null for errors of the Ollama API, which have no code. */
  code: string | null;
  message: string;
}

/** A connection that waits this long for its next request is closed, in ms: the server would close it a little later. */
const IDLE_MS = 4000;
const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: IDLE_MS });

/** Sends a request and resolves to the response once its headers have come. Rejects if the connection breaks. */
export function send(
  url: string,
  { method, path, body, headers }: Sent,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const sending = request(
      url + path,
      {
        agent,
        method: method ?? (text === undefined ? 'GET' : 'POST'),
        headers: { ...(text !== undefined && headersOf(text)), ...headers },
        ...(signal && { signal }),
      },
      resolve,
    );
    sending.on('error', reject);
    sending.end(text);
  });
}

/** Node leaves out the Content-Length with GET and DELETE; the server would then read the body as the next request. */
function headersOf(text: string): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
}

export async function readText(reply: IncomingMessage): Promise<string> {
  let text = '';
  reply.setEncoding('utf8');
  for await (const piece of reply) text += piece;
  return text;
}

/** Yields the data of each server-sent event. Pings and other comments are left out. */
export async function* readEvents(reply: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  reply.setEncoding('utf8');
  for await (const piece of reply) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) if (event.startsWith('data: ')) yield event.slice('data: '.length);
  }
}

/** Reads an error in the dialect of the path. */
export function toRefusal(status: number, text: string, path = '/'): Refusal {
  const found = errorIn(text, ROUTES.dialectOf(path.replace(/\?.*/s, '')));
  return found ? { status, ours: true, ...found } : { status, ours: false, code: null, message: text.slice(0, 200) };
}

/**
 * The shapes: OpenAI `{error: {message, type, code, param}}`, Anthropic `{type, error: {type, message, details}}`,
 * Ollama `{error}`. Returns null for any other text.
 */
function errorIn(text: string, dialect: Dialect): { code: string | null; message: string } | null {
  const { error, type: outer } = parseObject(text) ?? {};
  if (dialect === ollamaErrors) return typeof error === 'string' ? { code: null, message: error } : null;
  if (typeof error !== 'object' || error === null) return null;
  const { message, type, code, param, details } = error as Record<string, unknown>;
  if (typeof message !== 'string' || typeof type !== 'string') return null;
  if (dialect === anthropicErrors) {
    const { error_code } = (details ?? {}) as { error_code?: unknown };
    return outer === 'error' && typeof error_code === 'string' ? { code: error_code, message } : null;
  }
  const isWhole = typeof code === 'string' && (param === null || typeof param === 'string');
  return isWhole ? { code, message } : null;
}

/** Returns the name of an error for a table: its status and code. */
export function nameRefusal({ status, ours, code }: Refusal): string {
  return `${status} ${ours ? (code ?? '(no code)') : 'NOT OURS'}`;
}
