import type { IncomingMessage, ServerResponse } from 'node:http';

/** What goes wrong with a request. `at` is a fraction of the whole file. */
export type Fault =
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  /** Cuts the connection; `rangeless` also sends the whole file again whatever is asked for. */
  | { kind: 'drop'; at: number; rangeless?: true }
  /** Keeps the connection and sends no more. */
  | { kind: 'silence'; at: number }
  /** Ends the body in good order, too early, under a Content-Length that agrees. */
  | { kind: 'short'; at: number }
  /** Sends other bytes, as many as the right ones. */
  | { kind: 'garbled' }
  /** Sends the whole file whatever was asked for. */
  | { kind: 'no ranges' }
  /** Sends another part than was asked for. */
  | { kind: 'wrong part' }
  /** Says no length, and sends a page instead. */
  | { kind: 'page'; text: string }
  /** Sends bit by bit. */
  | { kind: 'slow'; pieces: number; pauseMs: number };

/** Does what is wrong where the answer would not have been a file. */
export function misbehave(res: ServerResponse, fault: Fault): void {
  if (fault.kind === 'status') res.writeHead(fault.status, fault.headers).end();
  else if (fault.kind === 'page') res.writeHead(200, { 'content-type': 'text/html' }).end(fault.text);
  else if (fault.kind === 'drop') res.destroy();
  else if (fault.kind !== 'silence') throw new Error(`${fault.kind} is for content`);
}

/** Sends a file, or the part of it that is asked for, as a web server does or as `fault` has it. */
export function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  right: Uint8Array,
  etag: string | null,
  fault: Fault | undefined,
): void {
  if (fault?.kind === 'status' || fault?.kind === 'page') {
    misbehave(res, fault);
    return;
  }
  const file = fault?.kind === 'garbled' ? right.map((byte) => byte ^ 0x55) : right;
  const range = ignoresRanges(fault) ? undefined : readRange(req, etag, file.length);
  if (range && range.start >= file.length) {
    res.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
    return;
  }
  const start = (range?.start ?? 0) + (range && fault?.kind === 'wrong part' ? 1 : 0);
  const wanted = file.subarray(start, range?.end ?? file.length);
  const limit = fault && 'at' in fault ? Math.max(Math.floor(file.length * fault.at) - start, 0) : wanted.length;
  const sent = wanted.subarray(0, limit);
  res.writeHead(range ? 206 : 200, {
    ...(etag !== null && { etag }),
    ...(range && { 'content-range': `bytes ${start}-${start + wanted.length - 1}/${file.length}` }),
    'accept-ranges': 'bytes',
    'content-length': fault?.kind === 'short' ? sent.length : wanted.length,
  });
  if (fault?.kind === 'slow') sendSlowly(res, sent, fault);
  else if (fault?.kind === 'drop') res.write(sent, () => res.destroy());
  else if (fault?.kind === 'silence') res.write(sent);
  else res.end(sent);
}

function ignoresRanges(fault: Fault | undefined): boolean {
  return fault?.kind === 'no ranges' || (fault?.kind === 'drop' && fault.rangeless === true);
}

/** The part that is asked for, from `start` and before `end`; undefined for the whole file. */
function readRange({ headers }: IncomingMessage, etag: string | null, length: number) {
  const [, start, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const current = headers['if-range'] === undefined || headers['if-range'] === etag;
  return start !== undefined && current ? { start: Number(start), end: last ? Number(last) + 1 : length } : undefined;
}

function sendSlowly(
  res: ServerResponse,
  bytes: Uint8Array,
  { pieces, pauseMs }: { pieces: number; pauseMs: number },
): void {
  const length = Math.ceil(bytes.length / pieces);
  let at = 0;
  const timer = setInterval(() => {
    res.write(bytes.subarray(at, at + length));
    at += length;
    if (at < bytes.length) return;
    clearInterval(timer);
    res.end();
  }, pauseMs);
  res.on('close', () => clearInterval(timer));
}
