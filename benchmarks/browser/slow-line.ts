import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Bytes that are sent at once: all open connections share the line piece by piece. */
const PIECE = 16_384;

/** Timers fire late. The lost time is made up for, up to this many ms. */
const LATE_MS = 100;

/** A slow line to a server on this machine. All connections share its rate. */
export interface SlowLine extends AsyncDisposable {
  /** The port to use in place of the server's port. */
  port: number;
  /** The bytes from the server so far, headers included. */
  bytes(): number;
  /** The time of the last byte, by `performance.now()`. */
  lastAt(): number;
}

/**
 * Opens a line to this loopback port that transmits at most this many bytes per second from the server. Bytes to the
 * server are not delayed.
 */
export async function openSlowLine(target: number, bytesPerSecond: number): Promise<SlowLine> {
  let count = 0;
  let freeAt = 0;
  let lastAt = 0;
  const sockets = new Set<Socket>();
  /** Waits until the line has transmitted all earlier bytes and these. */
  const bring = async (bytes: number) => {
    freeAt = Math.max(freeAt, performance.now() - LATE_MS) + (1000 * bytes) / bytesPerSecond;
    count += bytes;
    const wait = freeAt - performance.now();
    if (wait > 0) await setTimeout(wait);
    lastAt = performance.now();
  };
  const pass = async (from: Socket, to: Socket) => {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let start = 0; start < chunk.length; start += PIECE) {
        const piece = chunk.subarray(start, start + PIECE);
        await bring(piece.length);
        if (!to.write(piece)) await once(to, 'drain');
      }
    }
    to.end();
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // A browser may close a connection at any time.
      socket.on('error', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    pass(upstream, client).catch(() => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => count,
    lastAt: () => lastAt,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
