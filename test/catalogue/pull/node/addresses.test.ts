import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PullEvent } from '../../../../src/contract/models/puller.ts';
import { openBench, type PullBench, pull, smallGguf } from './fixtures.ts';

/** A port that nobody listens on. */
const CLOSED = 1;

let bench: PullBench;
let server: Server;
let port: number;
let asked: string[];

beforeEach(async () => {
  bench = await openBench();
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  });
  // All addresses of this machine, of both kinds.
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await bench.close();
});

/** What a pull ends with, and the events before. */
async function refusal(source: string, options: Parameters<PullBench['puller']>[0] = { allowPrivate: false }) {
  const events: PullEvent[] = [];
  try {
    const puller = bench.puller(options);
    for await (const event of puller.pull(source, new AbortController().signal)) events.push(event);
    return { error: null, events };
  } catch (error) {
    return { error, events };
  }
}

const forbidden = (host: string) => ({
  data: {
    status: 403,
    type: 'permission_error',
    code: 'source_forbidden',
    param: 'model',
    message: `${host} is, or redirects to, an address that is not public, which may not be asked. --allow-private-sources allows it.`,
  },
});

describe('a pull from an address that is not public', () => {
  it.each([
    '127.0.0.1',
    '127.8.9.10',
    'localhost',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ])('is refused without a connection, alike for open and closed ports: %s', async (host) => {
    for (const at of [port, CLOSED]) {
      const { error, events } = await refusal(`http://${host}:${at}/model.gguf`);
      expect(error).toMatchObject(forbidden(new URL(`http://${host}:${at}`).host));
      // There is no second attempt.
      expect(events).toEqual([{ status: 'resolving' }]);
    }
    expect(asked).toEqual([]);
  });

  it.each(['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '[fe80::1]', '[fd00:ec2::254]'])(
    'is refused for the networks around this machine: %s',
    async (host) => {
      expect((await refusal(`https://${host}/model.gguf`)).error).toMatchObject(
        forbidden(new URL(`http://${host}`).host),
      );
    },
  );

  it('is allowed with --allow-private-sources', async () => {
    const url = bench.hub.putFile('x.gguf', smallGguf(1));
    expect((await refusal(url)).error).toMatchObject(forbidden(new URL(url).host));
    expect((await pull(bench.puller({ allowPrivate: true }), url)).at(-1)).toMatchObject({ status: 'done' });
  });
});

describe('the hub', () => {
  const FILE = 'm-Q4_K_M.gguf';
  const hubOnly = { allowPrivate: false };

  it('may be on a private network, since whoever runs the server has chosen it', async () => {
    bench.hub.put('org/repo', FILE, { bytes: smallGguf(1), plain: true });
    expect((await refusal('hf:org/repo', hubOnly)).error).toBeNull();
    expect(await bench.published()).toContain(`org/repo/Q4_K_M/${FILE}`);
  });

  it('may not lead anywhere else on a private network', async () => {
    bench.hub.put('org/repo', FILE, smallGguf(1));
    const { error, events } = await refusal('hf:org/repo', hubOnly);
    expect(error).toMatchObject(forbidden(new URL(bench.hub.url).host));
    expect(events.map(({ status }) => status)).not.toContain('waiting');
    expect(bench.hub.requests.filter(({ stage }) => stage === 'content')).toEqual([]);
  });

  it('may not lead the rest of its lists to anywhere else either', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt', FILE]) bench.hub.put('org/repo', name, smallGguf(1));
    bench.hub.moveLists();
    expect((await refusal('hf:org/repo', hubOnly)).error).toMatchObject({
      data: { status: 403, code: 'source_forbidden' },
    });
  });

  it('that redirects to the metadata of a cloud is not followed', async () => {
    const env = { HF_ENDPOINT: `http://127.0.0.1:${port}` };
    const { error } = await refusal('hf:org/repo', { ...hubOnly, env });
    expect(error).toMatchObject(forbidden(`127.0.0.1:${port}`));
    expect(asked).toHaveLength(1);
  });
});

describe('a redirect of a source', () => {
  const answer = (location: string) => {
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location }).end();
    });
  };

  it.each([
    ['in a circle', '/model.gguf', /redirects more than 10 times/],
    ['to a file', 'file:///etc/passwd', /redirects to what is no http\(s\) URL/],
  ])('%s is given up at once', async (_, location, message) => {
    answer(location);
    const { error, events } = await refusal(`http://127.0.0.1:${port}/model.gguf`, { allowPrivate: true });
    expect(error).toMatchObject({ message: expect.stringMatching(message), data: { status: 502 } });
    expect(events).toEqual([{ status: 'resolving' }]);
  });
});
