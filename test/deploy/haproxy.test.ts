// @module-tag slow
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Balance,
  checkConfiguration,
  configure,
  haproxyVersion,
  type RunningProxy,
  startHaproxy,
} from '../../benchmarks/scale/haproxy.ts';
import { until } from '../kit/until.ts';

const HAPROXY = haproxyVersion();

/** A server that answers as a Paddock would, as far as a balancer can tell. */
interface Replica {
  server: Server;
  /** What it got, without the checks. */
  requests: { path: string; body: string }[];
  answer: (req: IncomingMessage, res: ServerResponse) => void;
  ready: boolean;
}

const plain = (_: IncomingMessage, res: ServerResponse) => void res.writeHead(200).end('ok');
const leaving = (_: IncomingMessage, res: ServerResponse) => void res.writeHead(503, { 'retry-after': '5' }).end('{}');
const dying = ({ socket }: IncomingMessage) => void socket.destroy();

async function startReplica(): Promise<Replica> {
  const replica: Replica = { server: createServer(), requests: [], answer: plain, ready: true };
  replica.server.on('request', async (req: IncomingMessage, res: ServerResponse) => {
    if (req.url === '/ready') return void res.writeHead(replica.ready ? 200 : 503).end();
    const body = Buffer.concat(await req.toArray().catch(() => [])).toString();
    replica.requests.push({ path: req.url ?? '', body });
    replica.answer(req, res);
  });
  await new Promise<void>((resolve) => replica.server.listen(0, '127.0.0.1', resolve));
  return replica;
}

interface Answer {
  status: number;
  replica: string;
}

interface Asked {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

let replicas: Replica[];
let proxy: RunningProxy;

function ask({ path = '/v1/chat/completions', method = 'POST', headers = {}, body }: Asked): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  return new Promise((resolve, reject) => {
    const sending = request(
      `${proxy.url}${path}`,
      { method, headers: { ...headers, 'content-length': Buffer.byteLength(text) }, agent: false },
      (response) => {
        response
          .resume()
          .once('error', reject)
          .once('end', () =>
            resolve({ status: response.statusCode ?? 0, replica: String(response.headers['x-replica']) }),
          );
      },
    );
    sending.once('error', reject).end(text);
  });
}

const statistics = async () => (await fetch(`${proxy.statisticsUrl}/metrics`)).text();

/** Waits until the proxy has noted that all replies have ended: until then its bound may hand the next request to another replica. */
async function untilIdle(): Promise<void> {
  await until(async () => !/haproxy_server_current_sessions\{proxy="paddock",[^}]*\} [1-9]/.test(await statistics()));
}

/** The replicas that answered these requests, asked one after the other, each once. */
async function replicasOf(asked: Asked[]): Promise<string[]> {
  const found = new Set<string>();
  for (const one of asked) {
    await untilIdle();
    found.add((await ask(one)).replica);
  }
  return [...found];
}

/** Waits until the proxy holds a replica for up or down, by default the first. */
async function untilState(state: 'UP' | 'DOWN', replica = 1): Promise<void> {
  const line = `haproxy_server_status{proxy="paddock",server="replica-${replica}",state="${state}"} 1\n`;
  await until(async () => (await statistics()).includes(line));
}

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });
const many = Array.from({ length: 24 }, (_, index) => index);

/** The turns of a conversation as a client sends them, each with all that was said before. */
function turns(first: string, before: object[] = []): { messages: object[] }[] {
  const said = [user(first), assistant('a reply'), user('and then?'), assistant('more'), user('thanks')];
  return [1, 3, 5].map((count) => ({ messages: [...before, ...said.slice(0, count)] }));
}

describe.skipIf(HAPROXY === null)(`HAProxy ${HAPROXY ?? '(not installed)'} with deploy/haproxy`, () => {
  const places = { port: 8080, statisticsPort: 8405, folder: '/tmp', servers: [1341, 1342, 1343] };

  it.each<Balance>(['conversation', 'roundrobin'])('takes the configuration: %s', (balance) => {
    expect(checkConfiguration(configure({ ...places, balance }))).toBeNull();
  });

  it('would say so if it were wrong', () => {
    const wrong = configure({ ...places, balance: 'conversation' }).replace(
      'hash-type consistent',
      'hash-type nonsense',
    );
    expect(checkConfiguration(wrong)).toContain("'hash-type' only supports");
  });

  describe('before three replicas', { retry: 2 }, () => {
    beforeAll(async () => {
      replicas = await Promise.all([1, 2, 3].map(startReplica));
      proxy = await startHaproxy(
        replicas.map(({ server }) => (server.address() as AddressInfo).port),
        'conversation',
      );
    });
    afterAll(async () => {
      await proxy?.[Symbol.asyncDispose]();
      for (const { server } of replicas ?? []) server.closeAllConnections();
      for (const { server } of replicas ?? []) server.close();
    });
    beforeEach(async () => {
      for (const replica of replicas) Object.assign(replica, { answer: plain, ready: true, requests: [] });
      // On a busy machine a check may come too late, and its replica counts as down until the next one.
      for (const place of [1, 2, 3]) await untilState('UP', place);
    });

    it('sends all turns of a conversation to one replica, and the conversations to all three', async () => {
      const used = new Set<string>();
      for (const index of many) {
        const found = await replicasOf(
          turns(`question ${index}`, [system('One system prompt for all.')]).map((body) => ({ body })),
        );
        expect(found).toHaveLength(1);
        for (const replica of found) used.add(replica);
      }
      expect(used.size).toBe(3);
    });

    it.each<[string, string, (said: object[]) => object]>([
      ['responses', '/v1/responses', (said) => ({ input: said })],
      ["Anthropic's messages", '/v1/messages', (said) => ({ system: 'Be kind.', messages: said })],
      ["Ollama's chats", '/api/chat', (said) => ({ messages: said })],
      [
        'a completion that grows',
        '/v1/completions',
        (said) => ({ prompt: JSON.stringify(said).slice(1).padEnd(600, 'x') }),
      ],
    ])('knows the conversations of %s', async (_, path, toBody) => {
      const used = new Set<string>();
      for (const index of many.slice(0, 12)) {
        const said = turns(`${index} ${'words '.repeat(120)}`).map(({ messages }) => messages);
        const found = await replicasOf(said.map((messages) => ({ path, body: toBody(messages) })));
        expect(found).toHaveLength(1);
        for (const replica of found) used.add(replica);
      }
      expect(used.size).toBeGreaterThan(1);
    });

    it.each<[string, (key: string, index: number) => Asked]>([
      ['prompt_cache_key', (key, index) => ({ body: { messages: [user(`${index}`)], prompt_cache_key: key } })],
      [
        'the header session_id',
        (key, index) => ({ headers: { session_id: key }, body: { messages: [user(`${index}`)] } }),
      ],
      [
        'the header x-session-id',
        (key, index) => ({ headers: { 'x-session-id': key }, body: { messages: [user(`${index}`)] } }),
      ],
    ])('goes by %s before the messages', async (_, toAsked) => {
      const used = new Set<string>();
      for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
        const found = await replicasOf([1, 2, 3, 4].map((index) => toAsked(key, index)));
        expect(found).toHaveLength(1);
        for (const replica of found) used.add(replica);
      }
      expect(used.size).toBeGreaterThan(1);
    });

    it('takes a key that a text only mentions for text', async () => {
      const content = 'He said "prompt_cache_key": "same" and "role": "user".';
      const used = await replicasOf(many.map((index) => ({ body: { messages: [user(`${index} ${content}`)] } })));
      expect(used.length).toBe(3);
    });

    it('tells conversations apart behind a long system prompt, and in bodies that are longer than its buffer', async () => {
      const long = system('rule '.repeat(10_000));
      const found = await replicasOf(many.map((index) => ({ body: { messages: [long, user(`${index}`)] } })));
      expect(found.length).toBe(3);
      for (const index of many.slice(0, 4)) {
        const [first, ...others] = turns(`${index}`, []).map(({ messages }) => messages);
        const grown = [first, ...others.map((said) => [...(said ?? []), user('x'.repeat(300_000))])];
        expect(await replicasOf(grown.map((messages) => ({ body: { messages } })))).toHaveLength(1);
      }
      expect(replicas.flatMap(({ requests }) => requests).filter(({ body }) => body.length > 300_000)).toHaveLength(8);
    });

    it('survives bodies that are no JSON, cut off or empty', async () => {
      for (const body of [
        '',
        '{"messages":[',
        '{"messages":[{"role":"user","content":"abc',
        '"messages":[}]',
        '{"messages":"\\',
        '\0\0',
      ])
        expect(await ask({ body })).toMatchObject({ status: 200 });
    });

    it('lets requests without a conversation take turns', async () => {
      const found = await replicasOf(
        many.slice(0, 6).map(() => ({ path: '/v1/embeddings', body: { input: 'the same text' } })),
      );
      expect(found.length).toBe(3);
    });

    it('sends what a leaving replica refused to another one', async () => {
      const [first] = replicas;
      if (first) first.answer = leaving;
      for (const index of many)
        expect(await ask({ body: { messages: [user(`${index}`)] } })).toMatchObject({ status: 200 });
      expect(first?.requests.length).toBeGreaterThan(0);
    });

    it('sends a generation that got no answer to another replica, and nothing that changes models', async () => {
      for (const replica of replicas.slice(0, 1)) replica.answer = dying;
      for (const index of many.slice(0, 6))
        expect(await ask({ body: { messages: [user(`${index}`)] } })).toMatchObject({ status: 200 });
      const pulls = many.slice(0, 6).map(() => ask({ path: '/v1/models/pull', body: { model: 'hf:a/b' } }));
      const statuses = (await Promise.all(pulls)).map(({ status }) => status);
      expect(statuses).toContain(502);
      const asked = replicas.flatMap(({ requests }) => requests).filter(({ path }) => path === '/v1/models/pull');
      expect(asked).toHaveLength(6);
    });

    it('gives the refusal to the client when every replica refuses', async () => {
      for (const replica of replicas) replica.answer = leaving;
      expect(await ask({ body: { messages: [user('hi')] } })).toMatchObject({ status: 503 });
    });

    it('never sends a stream again that has begun', async () => {
      for (const replica of replicas)
        replica.answer = ({ socket }, res) => {
          res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
          setTimeout(() => (socket as Socket).destroy(), 50);
        };
      await expect(ask({ body: { messages: [user('hi')], stream: true } })).rejects.toThrow();
      expect(replicas.flatMap(({ requests }) => requests)).toHaveLength(1);
    });

    it('ends the request at the replica when the client leaves', async () => {
      const came = replicas.map(
        (replica) =>
          new Promise<ServerResponse>((resolve) => {
            replica.answer = (_, res) => resolve(res);
          }),
      );
      const body = JSON.stringify({ messages: [user('hi')] });
      const sending = request(`${proxy.url}/v1/chat/completions`, { method: 'POST', agent: false });
      sending.on('error', () => {}).end(body);
      const waiting = await Promise.race(came);
      sending.destroy();
      await once(waiting, 'close');
    });

    it('stops to use a replica whose /ready says 503, and uses it again when it says 200', async () => {
      const [first] = replicas;
      if (!first) throw new Error('there is no replica');
      const all = () => replicasOf(many.map((index) => ({ body: { messages: [user(`${index}`)] } })));
      first.ready = false;
      await untilState('DOWN');
      expect(await all()).toHaveLength(2);
      expect(first.requests).toEqual([]);
      first.ready = true;
      await untilState('UP');
      expect(await all()).toHaveLength(3);
    });

    it('tells Prometheus what it does', async () => {
      expect(await statistics()).toMatch(
        /haproxy_server_check_status\{proxy="paddock",server="replica-1",state="L7OK"\} 1/,
      );
    });
  });
});
