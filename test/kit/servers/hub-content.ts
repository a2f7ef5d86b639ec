import type { IncomingMessage, ServerResponse } from 'node:http';

/** A fault of a response. `at` is a fraction of the whole file. */
export type Fault =
  | { kind: 'status'; status: number; headers?: Record<string, string> }
  /** Cuts the connection. With `rangeless`, the server also ignores the range and sends the file from its beginning. */
  | { kind: 'drop'; at: number; rangeless?: true }
  /** Keeps the connection open and sends no more bytes. */
  | { kind: 'silence'; at: number }
  /** Ends the body too early, with the Content-Length of the shorter body. */
  | { kind: 'short'; at: number }
  /** Sends wrong bytes of the right length. */
  | { kind: 'garbled' }
  /** Ignores the range and sends the whole file. */
  | { kind: 'no ranges' }
  /** Sends another range than the requested one. */
  | { kind: 'wrong part' }
  /** Sends an HTML page without a length. */
  | { kind: 'page'; text: string }
  /** Sends the file in pieces with pauses. */
  | { kind: 'slow'; pieces: number; pauseMs: number };

/** Answers with a fault where the regular answer is not a file. Throws for a fault that only files can have. */
export function misbehave(res: ServerResponse, fault: Fault): void {
  if (fault.kind === 'status') res.writeHead(fault.status, fault.headers).end();
  else if (fault.kind === 'page') res.writeHead(200, { 'content-type': 'text/html' }).end(fault.text);
  else if (fault.kind === 'drop') res.destroy();
  else if (fault.kind !== 'silence') throw new Error(`${fault.kind} is for content`);
}

/** Sends a file or the requested range of it, as a web server does, with the fault if there is one. */
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

/** Returns the requested range, from `start` to before `end`; undefined for the whole file. */
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
