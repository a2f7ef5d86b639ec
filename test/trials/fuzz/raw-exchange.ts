import { connect } from 'node:net';
import type { RawCase } from './raw.ts';

/** A reply as it came over the connection. */
export interface RawReply {
  status: number;
  body: string;
}

/** The replies to some bytes, and how the connection ended. */
export interface RawResult {
  replies: RawReply[];
  /** `quiet`: no bytes came for a time. `enough`: all expected replies came. */
  end: 'closed' | 'quiet' | 'enough';
}

/** The timeout of a reply that must come, in ms. */
const ANSWER_MS = 20_000;
/** The time to wait for a reply that may come or not, in ms. */
const QUIET_MS = 250;

/** Sends bytes over a new connection and reads the replies. Never rejects. */
export function exchange(url: string, { pieces, replies: wanted }: RawCase): Promise<RawResult> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    let timer: NodeJS.Timeout | undefined;
    const finish = (end: RawResult['end']) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ replies: readReplies(received), end });
    };
    const waitOn = () => {
      clearTimeout(timer);
      timer = setTimeout(() => finish('quiet'), wanted === null ? QUIET_MS : ANSWER_MS);
    };
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('error', () => finish('closed')).on('close', () => finish('closed'));
    socket.on('data', (text: string) => {
      received += text;
      waitOn();
      if (wanted !== null && readReplies(received).length >= wanted) finish('enough');
    });
    waitOn();
    const write = (index: number) => {
      const piece = pieces[index];
      if (piece !== undefined) socket.write(Buffer.from(piece, 'latin1'), () => setImmediate(write, index + 1));
    };
    write(0);
  });
}

/** Returns the complete replies at the beginning of a text. */
export function readReplies(text: string): RawReply[] {
  const replies: RawReply[] = [];
  for (let rest = text; ; ) {
    const head = /^HTTP\/1\.[01] (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n/.exec(rest);
    if (!head) return replies;
    const [whole, status, headers = ''] = head;
    const after = rest.slice(whole.length);
    const declared = /^content-length: (\d+)/im.exec(headers)?.[1];
    // A reply without a length ends with the connection.
    const length = declared === undefined ? after.length : Number(declared);
    if (after.length < length) return replies;
    replies.push({ status: Number(status), body: after.slice(0, length) });
    rest = after.slice(length);
  }
}
