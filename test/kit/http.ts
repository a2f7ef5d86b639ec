import { Agent, type IncomingMessage, request } from 'node:http';
import { type Dialect, dialectOf } from '../../src/api/http/dialect.ts';
import { parseObject } from '../../src/utils/json.ts';

/** A request as the tools send it. Only a body that is a text is sent as it is; every other one becomes JSON. */
export interface Sent {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** An error that the server answered with. */
export interface Refusal {
  status: number;
  /** Whether it is an error object of Paddock's. */
  ours: boolean;
  /** The errors of Ollama's API have none. */
  code: string | null;
  message: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Sends a request and resolves to the reply, whose body is still to come. Rejects when the connection breaks. */
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

/** Node leaves out the length of a body with GET and DELETE, and the next request would begin with it. */
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

/** Reads an error in the words of the path's dialect. */
export function toRefusal(status: number, text: string, path = '/'): Refusal {
  const found = errorIn(text, dialectOf(path.replace(/\?.*/s, '')));
  return found ? { status, ours: true, ...found } : { status, ours: false, code: null, message: text.slice(0, 200) };
}

/** Of OpenAI `{error: {message, type, code, param}}`, of Anthropic `{type, error: {type, message, details}}`, of Ollama `{error}`. */
function errorIn(text: string, dialect: Dialect): { code: string | null; message: string } | null {
  const { error, type: outer } = parseObject(text) ?? {};
  if (dialect === 'ollama') return typeof error === 'string' ? { code: null, message: error } : null;
  if (typeof error !== 'object' || error === null) return null;
  const { message, type, code, param, details } = error as Record<string, unknown>;
  if (typeof message !== 'string' || typeof type !== 'string') return null;
  if (dialect === 'anthropic') {
    const { error_code } = (details ?? {}) as { error_code?: unknown };
    return outer === 'error' && typeof error_code === 'string' ? { code: error_code, message } : null;
  }
  const isWhole = typeof code === 'string' && (param === null || typeof param === 'string');
  return isWhole ? { code, message } : null;
}

/** Names an error for a table: its status and its code. */
export function nameRefusal({ status, ours, code }: Refusal): string {
  return `${status} ${ours ? (code ?? '(no code)') : 'NOT OURS'}`;
}
