import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MEDIA_LIMITS } from '../../../src/media/limits.ts';
import { type FetchMediaOptions, fetchMediaFile } from '../../../src/media/node/fetch-file.ts';
import { createServerMediaReader } from '../../../src/media/node/reader.ts';
import { isPublicAddress } from '../../../src/net/node/public-address.ts';

/** Counts as a public host here. */
const OUTSIDE = '127.0.0.1';
const mayAsk = (address: string) => address === OUTSIDE || isPublicAddress(address);

let server: Server;
let port: number;
let requests: { url: string | undefined; headers: IncomingHttpHeaders; asked: string | undefined }[];
let answer: RequestListener;

beforeEach(async () => {
  requests = [];
  answer = (_, response) => response.end('file');
  server = createServer((request, response) => {
    const { url, headers, socket } = request;
    requests.push({ url, headers, asked: socket.localAddress });
    answer(request, response);
  });
  // The server listens on all IPv4 and IPv6 addresses of this machine.
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Ask {
  host?: string;
  path?: string;
  signal?: AbortSignal;
  limits?: Partial<FetchMediaOptions['limits']>;
  lookup?: FetchMediaOptions['lookup'];
}

async function ask({ host = OUTSIDE, path = '/', signal = new AbortController().signal, limits, lookup }: Ask = {}) {
  const options = { mayAsk, limits: { ...MEDIA_LIMITS, ...limits }, ...(lookup && { lookup }) };
  return Buffer.from(await fetchMediaFile(new URL(`http://${host}:${port}${path}`), options, signal)).toString();
}

/** Answers each path of the table with a redirect. */
function redirect(targets: Record<string, string>): void {
  answer = ({ url = '' }, response) => {
    const location = targets[url];
    if (location === undefined) response.end('file');
    else response.writeHead(302, { location }).end();
  };
}

/** A DNS server of a single name. Each look-up gets the next of these lists of addresses. */
function names(...turns: string[][]) {
  let asked = 0;
  const lookup = async () =>
    (turns[asked++] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return { lookup, asked: () => asked };
}

describe('an address that is not public', () => {
  const forbidden = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.1.:${port}/`,
    `http://127.1:${port}/`,
    `http://127.8.9.10:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f000001:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://017700000001:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://%31%32%37.0.0.1:${port}/`,
    `http://①②⑦.⓪.⓪.①:${port}/`,
    `http://127。0。0。1:${port}/`,
    `http:\\\\127.0.0.1:${port}\\`,
    `http:127.0.0.1:${port}`,
    `HTTP://LOCALHOST:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://0:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::]:${port}/`,
    `http://[0:0:0:0:0:0:0:1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    `http://[::127.0.0.1]:${port}/`,
    `http://[64:ff9b::7f00:1]:${port}/`,
    `http://[2002:7f00:1::]:${port}/`,
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/latest/meta-data',
    'http://[ff02::1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/latest/meta-data',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    `https://127.0.0.1:${port}/`,
    'https://[::1]/',
  ];

  it.each(forbidden(0).map((_, index) => index))('is refused in every notation (row %i)', async (index) => {
    const url = forbidden(port)[index] ?? '';
    const reader = createServerMediaReader({ allowPrivate: false });
    const { signal } = new AbortController();
    await expect(reader.read({ kind: 'image', url }, 'messages[0].content[1]', signal), url).rejects.toMatchObject({
      data: {
        status: 400,
        param: 'messages[0].content[1]',
        code: 'media_forbidden',
        message: 'The image in messages[0].content[1] is at an address that is not public, which may not be asked.',
      },
    });
    expect(requests).toEqual([]);
  });

  it('may be contacted if that is allowed', async () => {
    const reader = createServerMediaReader({ allowPrivate: true });
    const { signal } = new AbortController();
    const reading = reader.read({ kind: 'image', url: `http://localhost:${port}/` }, 'messages[0]', signal);
    await expect(reading).rejects.toThrow('its first bytes are 66 69 6c 65 ("file").');
    expect(requests).toHaveLength(1);
  });

  it('is refused if it belongs to a name', async () => {
    const { lookup } = names(['127.0.0.2']);
    await expect(ask({ host: 'images.example', lookup })).rejects.toMatchObject({ code: 'media_forbidden' });
  });

  it('is refused if it is one of several addresses of a name', async () => {
    const { lookup } = names([OUTSIDE, '::1']);
    await expect(ask({ host: 'images.example', lookup })).rejects.toMatchObject({ code: 'media_forbidden' });
    expect(requests).toEqual([]);
  });

  it('is not reached by a name whose address changes after the check', async () => {
    const { lookup, asked } = names([OUTSIDE], ['127.0.0.2']);
    expect(await ask({ host: 'images.example', lookup })).toBe('file');
    expect(asked()).toBe(1);
    expect(requests.map(({ asked }) => asked)).toEqual([`::ffff:${OUTSIDE}`]);
    expect(requests[0]?.headers.host).toBe(`images.example:${port}`);
  });

  it('is refused if a name has it only at the second of two requests', async () => {
    redirect({ '/': `http://images.example:${port}/again` });
    const { lookup } = names([OUTSIDE], ['127.0.0.2']);
    await expect(ask({ host: 'images.example', lookup })).rejects.toMatchObject({ code: 'media_forbidden' });
    expect(requests).toHaveLength(1);
  });

  it.each(['http://127.0.0.2', 'http://[::1]', 'http://[::ffff:127.0.0.1]', 'http://0', '//127.2'])(
    'is refused if a redirect leads to %s',
    async (target) => {
      redirect({ '/': `${target}:${port}/secret` });
      await expect(ask()).rejects.toMatchObject({ code: 'media_forbidden' });
      expect(requests.map(({ url }) => url)).toEqual(['/']);
    },
  );
});

describe('a URL that can not be fetched', () => {
  it.each([
    ...['file:///etc/passwd', 'ftp://example.com/a.png', 'gopher://127.0.0.1:70/', 'blob:http://a/b', 'javascript:1'],
    ...['/a.png', 'a.png', '', 'http://', 'https://exa mple.com/', 'http://user:word@example.com/a.png'],
    ...['http://example.com@127.0.0.1/'],
  ])('%j is refused', async (url) => {
    const reader = createServerMediaReader({ allowPrivate: true });
    const { signal } = new AbortController();
    const reading = reader.read({ kind: 'image', url }, 'messages[0].content[0]', signal);
    await expect(reading).rejects.toMatchObject({ data: { status: 400, code: 'invalid_media_url' } });
  });
});

describe('a file', () => {
  it('is fetched without anything that identifies the client', async () => {
    expect(await ask({ path: '/a.png?b=c' })).toBe('file');
    expect(requests[0]?.url).toBe('/a.png?b=c');
    expect(requests[0]?.headers).toEqual({
      accept: 'image/*',
      'accept-encoding': 'identity',
      'user-agent': 'Paddock',
      host: `${OUTSIDE}:${port}`,
      connection: expect.any(String),
    });
  });

  it('is fetched through as many redirects as are allowed, relative ones included', async () => {
    redirect({ '/': '/one', '/one': `http://${OUTSIDE}:${port}/two`, '/two': 'three?x' });
    expect(await ask({ limits: { redirects: 3 } })).toBe('file');
    expect(requests.map(({ url }) => url)).toEqual(['/', '/one', '/two', '/three?x']);
    await expect(ask({ limits: { redirects: 2 } })).rejects.toThrow('is behind more than 2 redirects.');
  });

  it('behind circular redirects is given up', async () => {
    redirect({ '/': '/' });
    await expect(ask()).rejects.toThrow('is behind more than 5 redirects.');
    expect(requests).toHaveLength(6);
  });

  it.each(['file:///etc/passwd', 'data:image/png,x', 'ftp://a/b', 'http://'])(
    'behind a redirect to %s is refused',
    async (to) => {
      redirect({ '/': to });
      await expect(ask()).rejects.toThrow('its host redirects to what is no http(s) URL.');
    },
  );

  it.each([204, 206, 304, 404, 500])('answered with status %i is reported as missing', async (status) => {
    answer = (_, response) => response.writeHead(status).end();
    await expect(ask()).rejects.toThrow(`could not be fetched: its host answered with status ${status}.`);
  });

  it('whose header announces too many bytes is not read', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-length': '11' }).write('abc');
    await expect(ask({ limits: { fileBytes: 10 } })).rejects.toMatchObject({ code: 'media_too_large' });
  });

  it('that turns out to be too large is not read to the end', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (request, response) => {
        request.socket.once('close', resolve);
        const write = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
          if (!response.destroyed) response.once('drain', write);
        };
        write();
      };
    });
    await expect(ask({ limits: { fileBytes: 100_000 } })).rejects.toThrow('is larger than the limit of 100000 bytes.');
    await closed;
  });

  it.each([
    ['no answer', () => {}],
    ['no end', (_, response) => response.write('abc')],
  ] satisfies [string, RequestListener][])('with %s is given up in time', async (_, silent) => {
    answer = silent;
    await expect(ask({ limits: { fetchMs: 200 } })).rejects.toThrow('has not come within 0.2 s.');
  });

  it('of a host whose DNS look-up never ends is given up in time', async () => {
    const lookup = () => new Promise<never>(() => {});
    const asking = ask({ host: 'images.example', lookup, limits: { fetchMs: 200 } });
    await expect(asking).rejects.toThrow('has not come within 0.2 s.');
  });

  it('whose connection breaks is reported as missing', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('abc', () => response.destroy());
    };
    await expect(ask()).rejects.toThrow(/^could not be fetched: the connection failed \(ECONN/);
  });

  it('of an unknown host is reported as missing', async () => {
    const lookup = () => Promise.reject(new Error('ENOTFOUND'));
    await expect(ask({ host: 'images.example', lookup })).rejects.toThrow('its host is not known.');
  });

  it('is not read any further after the client has left', async () => {
    const client = new AbortController();
    const closed = new Promise<void>((resolve) => {
      answer = (request) => {
        request.socket.once('close', resolve);
        client.abort();
      };
    });
    await expect(ask({ signal: client.signal })).rejects.toThrow();
    await closed;
  });
});
