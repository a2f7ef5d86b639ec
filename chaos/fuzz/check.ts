import { nameRefusal, type Sent, toRefusal } from '../http.ts';
import type { RawCase } from './raw.ts';
import type { RawResult } from './raw-exchange.ts';

/** What came of a case: its name in the table, and what is wrong with it. */
export interface Verdict {
  name: string;
  failure: string | null;
}

/** Judges the reply to a request that is whole as HTTP, whatever its body says. */
export function checkReply({ method, path }: Sent, status: number, type: string, text: string): Verdict {
  if (status >= 400) {
    // There is no body to a HEAD.
    if (method === 'HEAD' && text === '') return { name: `${status} of HEAD`, failure: null };
    const refusal = toRefusal(status, text);
    const name = nameRefusal(refusal);
    if (!refusal.ours) return { name, failure: `a ${status} that is not our error: ${text.slice(0, 200)}` };
    if (status === 500) return { name, failure: `a 500: ${refusal.message}` };
    if (status > 500 && refusal.code === null) return { name, failure: `a ${status} without a code` };
    return { name, failure: null };
  }
  if (type.startsWith('text/event-stream')) return checkStream(status, text);
  if (type.startsWith('application/json') && method !== 'HEAD' && !isJson(text))
    return { name: String(status), failure: 'the reply is not JSON' };
  return { name: `${status} ${familyOf(path)}`, failure: null };
}

/** The beginning of a path, which tells what was asked for. */
function familyOf(path: string): string {
  return /^\/(?:v1\/)?[\w.]*/.exec(path)?.[0] ?? '';
}

/** A stream ends with [DONE] or with an error that is not a plain 500. A pull ends with its last event. */
function checkStream(status: number, text: string): Verdict {
  const last = text.trimEnd().split('\n\n').at(-1) ?? '';
  if (!last.startsWith('data: {"error"')) return { name: `${status} stream`, failure: null };
  const { code, message } = toRefusal(status, last.slice('data: '.length));
  return {
    name: `${status} stream, then ${code}`,
    failure: code === 'server_error' ? `an error event: ${message}` : null,
  };
}

/** Judges what came back for raw bytes. */
export function checkRaw({ name, replies: wanted }: RawCase, { replies, end }: RawResult): Verdict {
  const missing = wanted !== null && replies.length < wanted;
  const failed = replies.find(({ status }) => status === 500);
  const statuses = [...new Set(replies.map(describeReply))].join(', ');
  // The parser of uWebSockets.js answers what is no HTTP, before Paddock sees it.
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
