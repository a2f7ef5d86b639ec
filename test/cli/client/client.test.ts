import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createServerClient } from '../../../src/cli/client/client.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the client of the commands', () => {
  it.each([
    ['a web page', '<html></html>'],
    ['JSON that is no list', '{"status":"ok"}'],
    ['a list of others', '{"object":"list","data":[{"id":"gpt","object":"model"}]}'],
    ['null', 'null'],
  ])('says that what answers is no Paddock when it answers with %s', async (_, body) => {
    const url = await serve((_req, res) => void res.end(body));
    await expect(createServerClient(url, undefined).models()).rejects.toThrow(`what answers at ${url} is no Paddock`);
  });

  it('finds no loaded models where a server tells none', async () => {
    const url = await serve((_req, res) => void res.end('{"status":"ok"}'));
    expect(await createServerClient(url, undefined).health()).toEqual({ models: [] });
  });

  it('does not wait for ever for a server that takes the request and says nothing', async () => {
    const url = await serve(() => {});
    await expect(createServerClient(url, undefined, 50).models()).rejects.toThrow(
      `no server answers at ${url}: it said nothing for 0.05 s`,
    );
  });

  it('tells what the server says is wrong', async () => {
    const url = await serve((_req, res) => {
      res.statusCode = 401;
      res.end('{"error":{"message":"The API key is not valid."}}');
    });
    await expect(createServerClient(url, 'k').models()).rejects.toThrow(
      'The API key is not valid. Give one with --api-key.',
    );
  });
});
