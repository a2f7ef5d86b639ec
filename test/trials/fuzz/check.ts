import { serverError } from '../../../src/contract/errors.ts';
import { isJson } from '../../../src/utils/json.ts';
import { nameRefusal, type Sent, toRefusal } from '../../kit/http.ts';
import type { RawCase } from './raw.ts';
import type { RawResult } from './raw-exchange.ts';

/** The result of a case: its name in the table, and its failure; null if it is right. */
export interface Verdict {
  name: string;
  failure: string | null;
}

/** Checks the reply to a request that is valid HTTP, whatever its body says. */
export function checkReply({ method, path }: Sent, status: number, type: string, text: string): Verdict {
  if (status >= 400) {
    // HEAD has no body.
    if (method === 'HEAD' && text === '') return { name: `${status} of HEAD`, failure: null };
    const refusal = toRefusal(status, text, path);
    const name = nameRefusal(refusal);
    if (!refusal.ours) return { name, failure: `a ${status} that is not our error: ${text.slice(0, 200)}` };
    if (status === 500) return { name, failure: `a 500: ${refusal.message}` };
    return { name, failure: null };
  }
  if (type.startsWith('text/event-stream')) return checkStream(status, text, path);
  if (type.startsWith('application/x-ndjson')) return checkLines(status, text);
  if (type.startsWith('application/json') && method !== 'HEAD' && !isJson(text))
    return { name: String(status), failure: 'the reply is not JSON' };
  return { name: `${status} ${familyOf(path)}`, failure: null };
}

/** Returns the beginning of a path, which is the endpoint. */
function familyOf(path: string): string {
  return /^\/(?:v1\/)?[\w.]*/.exec(path)?.[0] ?? '';
}

/**
 * Checks that a stream ends as its API says, or with an error other than a plain 500, and that a pull ends with its
 * last event.
 */
function checkStream(status: number, text: string, path: string): Verdict {
  const last = text.trimEnd().split('\n\n').at(-1) ?? '';
  const data = /^data: (.*)$/m.exec(last)?.[1] ?? '';
  if (/^event: response\.failed$/m.test(last)) {
    const { response } = JSON.parse(data) as { response: { error: { code: string; message: string } } };
    return endedBy(status, response.error);
  }
  const { ours, code, message } = toRefusal(status, data, path);
  return ours ? endedBy(status, { code, message }) : { name: `${status} stream`, failure: null };
}

/**
 * Checks that lines of JSON end regularly or with an error. Such an error has no code, so a plain 500 is recognised by
 * its message.
 */
function checkLines(status: number, text: string): Verdict {
  const lines = text.trimEnd().split('\n');
  if (!lines.every(isJson)) return { name: String(status), failure: 'a line is not JSON' };
  const { ours, message } = toRefusal(status, lines.at(-1) ?? '', '/api/');
  if (!ours) return { name: `${status} lines`, failure: null };
  return endedBy(status, { code: message === serverError().message ? 'server_error' : null, message });
}

function endedBy(status: number, { code, message }: { code: string | null; message: string }): Verdict {
  return {
    name: `${status} stream, then ${code}`,
    failure: code === 'server_error' ? `an error event: ${message}` : null,
  };
}

/** Checks the replies to raw bytes. */
export function checkRaw({ name, replies: wanted }: RawCase, { replies, end }: RawResult): Verdict {
  const missing = wanted !== null && replies.length < wanted;
  const failed = replies.find(({ status }) => status === 500);
  const statuses = [...new Set(replies.map(describeReply))].join(', ');
  // The parser of uWebSockets.js itself answers bytes that are not HTTP.
  const strange =
    wanted !== null ? replies.find(({ status, body }) => status >= 400 && !toRefusal(status, body).ours) : undefined;
  const failure = failed
    ? `a 500: ${failed.body.slice(0, 200)}`
    : missing
      ? `${replies.length} replies instead of ${wanted}, then ${end}`
      : strange
        ? `a ${strange.status} that is not our error: ${strange.body.slice(0, 200)}`
        : null;
  return { name: `raw, ${name}: ${statuses || `no reply, ${end}`}`, failure };
}

function describeReply({ status, body }: { status: number; body: string }): string {
  return status >= 400 && !toRefusal(status, body).ours ? `${status} of the HTTP parser` : String(status);
}
