import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAMILIES } from '../../../src/api/api.ts';
import { createResponseStore } from '../../../src/api/responses/store.ts';
import { invalidRequest } from '../../../src/contract/errors.ts';
import type { PullEvent } from '../../../src/contract/models/puller.ts';
import type { ChatService } from '../../../src/engine/chat-service.ts';
import { DEFAULT_CONFIG } from '../../../web/config.ts';
import type { BrowserConfig, BrowserModel, EngineState } from '../../../web/protocol.ts';
import { answer, type BrowserGround, isForApi, isForm } from '../../../web/service-worker/api.ts';
import { done, finish, loadedModel, progress, text } from '../../api/fixtures.ts';
import { eventually } from '../../kit/eventually.ts';
import { browserModel } from './support/models.ts';
import { type Behaviour, FakeTabs } from './support/tabs.ts';

let tabs: FakeTabs;
let models: BrowserModel[];
let ground: BrowserGround;
let config: BrowserConfig;

beforeEach(() => {
  tabs = new FakeTabs();
  config = DEFAULT_CONFIG;
  models = [browserModel('tiny'), browserModel('pico', 'shell')];
  ground = {
    tabs,
    readModels: async () => models,
    responses: createResponseStore(),
    finder: { search: async () => [], offer: async () => ({ origin: '', variants: [], named: null }) },
    version: '1.2.3',
  };
});

/** Opens the tab that leads. */
async function lead(behaviour: Behaviour): Promise<void> {
  tabs.open('leader', behaviour);
  await tabs.lead('leader', 1);
}

function fetchApi(path: string, init: RequestInit = {}): Promise<Response> {
  const request = new Request(`http://site.example${path}`, init);
  return answer(ground, { request, path: path.replace(/\?.*/, ''), clientId: 'page', config });
}

function chat(more: Record<string, unknown> = {}, init: RequestInit = {}): Promise<Response> {
  const body = JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hi' }], ...more });
  return fetchApi('/v1/chat/completions', {
    method: 'POST',
    body,
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
}

/** An engine that says hello; `heard` has its cancellations. */
function engine(heard: string[] = []): ChatService {
  return {
    async generate({ maxTokens }, emit, signal) {
      signal.addEventListener('abort', () => heard.push('cancelled'));
      if (maxTokens === 1) throw invalidRequest('One token is too few.');
      emit(progress(1, 1));
      emit(text('hello'));
      // One that goes on until it is told not to.
      if (maxTokens === 1000) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      emit(finish());
      emit(done());
    },
    ask: async () => ({ tokens: [7], pieces: ['a'] }) as never,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what the API says is checked by the tests, not by types.
async function json(response: Response): Promise<any> {
  return response.json();
}

describe('paths', () => {
  const asks = (path: string, init: RequestInit = {}) =>
    isForApi(path, new Request(`https://site.example${path}`, init));
  const asJson = { headers: { accept: 'application/json' } };

  it.each(['/v1/models', '/v1/models/', '/v1/chat/completions', '/v1', '/health', '/ready', '/openapi.json'])(
    '%s is of the API',
    (path) => {
      expect(asks(path)).toBe(true);
    },
  );

  it.each(['/', '/v1x', '/healthy', '/paddock/client.js', '/docs/v1/models'])('%s is not', (path) => {
    expect(asks(path)).toBe(false);
    expect(asks(path, asJson)).toBe(false);
    expect(asks(path, { method: 'POST' })).toBe(false);
  });

  it('are of the API without /v1 as well, where they can not be files of the site', () => {
    for (const path of ['/chat/completions', '/chat/completions/', '/embeddings']) {
      expect(asks(path, { method: 'POST' })).toBe(true);
    }
    expect(asks('/models', asJson)).toBe(true);
    expect(asks('/models')).toBe(false);
    expect(asks('/models/pico.gguf')).toBe(false);
  });
});

describe('a form that is sent to the API', () => {
  it('is told from the requests of pages', () => {
    expect(isForm({ method: 'POST', mode: 'navigate' })).toBe(true);
    expect(isForm({ method: 'GET', mode: 'navigate' })).toBe(false);
    for (const mode of ['cors', 'same-origin', 'no-cors'] as const)
      expect(isForm({ method: 'POST', mode })).toBe(false);
  });
});

describe('the API of a service worker', () => {
  it('answers a chat whole, from the engine of another tab', async () => {
    await lead(tabs.engine(engine()));
    const response = await chat();
    expect(response.status).toBe(200);
    expect(await json(response)).toMatchObject({
      model: 'tiny',
      system_fingerprint: 'paddock-1.2.3',
      choices: [{ message: { content: 'hello' } }],
    });
  });

  it('streams a chat', async () => {
    await lead(tabs.engine(engine()));
    const response = await chat({ stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const said = await response.text();
    expect(said).toContain('"content":"hello"');
    expect(said.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('asks the engine what is no generation', async () => {
    await lead(tabs.engine(engine()));
    const response = await fetchApi('/v1/tokenize', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tiny', content: 'a' }),
    });
    expect(await json(response)).toEqual({ tokens: [7] });
  });

  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('cancels a %s reply that its page no longer reads', async (_, more) => {
    const heard: string[] = [];
    await lead(tabs.engine(engine(heard)));
    const response = await chat({ max_tokens: 1000, ...more });
    expect(response.status).toBe(200);
    await response.body?.cancel();
    await eventually(() => expect(heard).toEqual(['cancelled']));
  });

  it('takes the pages of its own origin for its own, where the browser tells the origin', async () => {
    await lead(tabs.engine(engine()));
    expect((await chat({}, { headers: { origin: 'http://site.example' } })).status).toBe(200);
    expect((await chat({}, { headers: { origin: 'http://other.example' } })).status).toBe(403);
  });

  it('answers what is wrong with its real status, also where the engine finds it', async () => {
    await lead(tabs.engine(engine()));
    expect((await chat({ temperature: 9 })).status).toBe(400);
    expect((await chat({ max_tokens: 1 })).status).toBe(400);
    expect((await chat({ model: 'none' })).status).toBe(404);
    expect((await fetchApi('/v1/nothing')).status).toBe(404);
    expect((await chat({}, { body: 'x'.repeat(33 * 1024 * 1024) })).status).toBe(413);
  });

  /** Reads a stream to its end; `onHello` is called when it has said its first word. */
  async function readStream(response: Response, onHello: () => void): Promise<string> {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let said = '';
    while (!said.includes('hello')) said += (await reader?.read())?.value;
    onHello();
    for (let next = await reader?.read(); !next?.done; next = await reader?.read()) said += next?.value;
    return said;
  }

  it('goes on with a stream in the next tab that leads when the first is closed, after what it has said', async () => {
    await lead(
      tabs.engine({
        ...engine(),
        async generate(_, emit) {
          emit(progress(5, 5));
          emit({ ...text('hello'), soFar: 1 });
          await new Promise(() => {});
        },
      }),
    );
    const resumed: unknown[] = [];
    const second: ChatService = {
      ...engine(),
      async generate({ resume }, emit) {
        resumed.push(resume);
        emit(progress(6, 6));
        emit({ ...text(' again'), soFar: 2 });
        emit(finish());
        emit(done());
      },
    };
    const said = await readStream(await chat({ stream: true }), () => {
      tabs.close('leader', 1);
      tabs.open('second', tabs.engine(second));
      void tabs.lead('second', 2);
    });
    expect(resumed).toMatchObject([[{ said: [{ text: 'hello' }], count: 1, finished: false }]]);
    const contents = [...said.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content);
    expect(contents.join('')).toBe('hello again');
    expect(said).toMatch(/^: the engine that ran the model is gone; the reply goes on with the next one/m);
    expect(said).toContain('"prompt_n":5');
    expect(said).toContain('[DONE]');
  });

  it('ends a stream with an error event when the tab that leads is closed and no other comes, and does not call it done', async () => {
    await lead(tabs.engine(engine()));
    const response = await chat({ stream: true, max_tokens: 1000 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const said = await readStream(response, () => {
        tabs.close('leader', 1);
        void vi.advanceTimersByTimeAsync(15_000);
      });
      expect(said).toContain('"code":"engine_lost"');
      expect(said).not.toContain('[DONE]');
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks for a key where there is one, for imports too', async () => {
    config = { ...DEFAULT_CONFIG, apiKeys: ['secret'] };
    expect((await fetchApi('/v1/models')).status).toBe(401);
    expect((await fetchApi('/v1/models/import?filename=a.gguf', { method: 'POST', body: 'x' })).status).toBe(401);
    const response = await fetchApi('/v1/models', { headers: { authorization: 'Bearer secret' } });
    expect((await json(response)).data.map(({ id }: { id: string }) => id)).toEqual(['tiny', 'pico']);
  });

  it('says what is loaded, by asking the engine', async () => {
    const device = { backend: 'wasm', threads: 1, reason: '' } as const;
    const state: EngineState = { loaded: [loadedModel()], moving: [], device, available: 2 ** 32 };
    await lead(tabs.state(state));
    expect((await json(await fetchApi('/health'))).models).toMatchObject([{ id: 'tiny' }]);
    expect((await json(await fetchApi('/v1/models/tiny'))).loaded).toBe(true);
    expect((await json(await fetchApi('/api/ps'))).models).toMatchObject([{ name: 'tiny' }]);
  });

  it('asks the engine for its state before every route that reports state, and before no other', async () => {
    const asked: string[] = [];
    const device = { backend: 'wasm', threads: 1, reason: '' } as const;
    const tell = tabs.state({ loaded: [loadedModel()], moving: [], device, available: 2 ** 32 });
    await lead((connection, port) => {
      if (connection.to === 'engine' && connection.model === null) asked.push(connection.requestId);
      tell(connection, port);
    });
    for (const { method, path, reportsState } of FAMILIES.flatMap(({ routes }) => routes)) {
      const id = `${method}-${path.replace(/\W/g, '')}`;
      const init = { method, headers: { 'x-request-id': id, 'content-type': 'application/json' } };
      await fetchApi(path.replace(/\{\w+\}/, 'nothing'), method === 'POST' ? { ...init, body: '{}' } : init);
      expect(asked.includes(id), `${method} ${path}`).toBe(reportsState === true);
    }
  });

  it.each([
    ['WebAssembly', 'wasm', 2 ** 32, 'too_large'],
    ['a graphics card with room for 4 GiB more', 'webgpu', 2 ** 33, 'fits'],
  ] as const)('says which starter models fit %s', async (_, backend, available, fit) => {
    vi.stubGlobal('navigator', { hardwareConcurrency: 4 });
    onTestFinished(() => void vi.unstubAllGlobals());
    await lead(tabs.state({ loaded: [], moving: [], device: { backend, threads: 1, reason: '' }, available }));
    const { data } = await json(await fetchApi('/v1/starters'));
    const offered = (name: string) => data.find((one: { name: string }) => one.name === name);
    expect(offered('qwen3:8b').fit).toBe(fit);
    expect(offered('qwen3:30b').fit).toBe('too_large');
    // What the processor's memory gives says nothing of a graphics card.
    expect(offered('qwen3:4b').tokens_per_second === null).toBe(backend === 'webgpu');
  });

  it('says that nothing is loaded where no tab leads', async () => {
    expect(await json(await fetchApi('/health'))).toMatchObject({ status: 'ok', models: [], moving: [] });
  });
});

describe('a request id', () => {
  it('is taken from the page, named in the reply and passed on to the worker', async () => {
    const ids: string[] = [];
    await lead((connection, port) => {
      ids.push(connection.requestId);
      tabs.engine(engine())(connection, port);
    });
    const replies = [await chat({}, { headers: { 'x-request-id': 'mine' } }), await chat({ stream: true })];
    const named = replies.map(({ headers }) => headers.get('x-request-id'));
    expect(named).toEqual(['mine', expect.stringMatching(/^[\w-]{36}$/)]);
    expect(ids).toEqual(named);
    for (const reply of replies) await reply.text();
  });

  it('names a failure of the service worker itself, in the reply and in the log', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    ground.readModels = async () => {
      throw new Error('the disk is gone', { cause: new Error('pulled out') });
    };
    const response = await fetchApi('/v1/models', { headers: { 'x-request-id': 'mine' } });
    expect(response.status).toBe(500);
    expect(response.headers.get('x-request-id')).toBe('mine');
    expect(await response.text()).not.toContain('disk');
    expect(logged).toHaveBeenCalledWith('paddock: request failed', {
      requestId: 'mine',
      path: '/v1/models',
      error: 'Error: the disk is gone',
      stack: expect.any(String),
      cause: expect.objectContaining({ error: 'Error: pulled out' }),
    });
    logged.mockRestore();
  });
});

describe('the stored models', () => {
  const stored: PullEvent = { status: 'done', model: 'new', alreadyHere: false };

  it('are pulled by the worker of the tab that leads, and are there when that is done', async () => {
    const asked: unknown[] = [];
    await lead(
      tabs.jobs(async (job, emit, { requestId }) => {
        asked.push({ job, requestId });
        models = [...models, browserModel('new')];
        emit(stored);
      }),
    );
    const response = await fetchApi('/v1/models/pull', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'mine' },
      body: JSON.stringify({ model: 'hf:org/new' }),
    });
    expect(await response.text()).toContain('"status":"done","already_here":false,"model":{"id":"new"');
    expect(asked).toEqual([{ job: { kind: 'pull', source: 'hf:org/new' }, requestId: 'mine' }]);
  });

  it('are imported from the body of a request, which is handed over unread', async () => {
    const asked: unknown[] = [];
    let content = '';
    await lead((connection, port) => {
      const body = connection.to === 'models' ? connection.body : null;
      tabs.jobs(async (job, emit) => {
        asked.push(job);
        content = await new Response(body).text();
        models = [...models, browserModel('new')];
        emit(stored);
      })(connection, port);
    });
    const path = '/v1/models/import?filename=some+folder%2Fnew.gguf&size=4';
    const response = await fetchApi(path, { method: 'POST', body: 'GGUF' });
    expect(await response.text()).toContain('"status":"done"');
    expect(asked).toEqual([{ kind: 'import', filename: 'some folder/new.gguf', size: 4 }]);
    expect(content).toBe('GGUF');
  });

  it('are imported in Firefox too, whose requests have no stream of their body', async () => {
    let content = '';
    await lead((connection, port) => {
      const body = connection.to === 'models' ? connection.body : null;
      tabs.jobs(async (_, emit) => {
        content = await new Response(body).text();
        models = [...models, browserModel('new')];
        emit(stored);
      })(connection, port);
    });
    const streamless = (body: string | null) => {
      const request = new Request('http://site.example/v1/models/import?filename=new.gguf', { method: 'POST', body });
      Object.defineProperty(request, 'body', { value: undefined });
      return answer(ground, { request, path: '/v1/models/import', clientId: 'page', config });
    };
    expect(await (await streamless('GGUF')).text()).toContain('"status":"done"');
    expect(content).toBe('GGUF');
    expect((await streamless(null)).status).toBe(400);
  });

  it.each([
    ['no name', '?size=4', 'GGUF', 'filename is required'],
    ['a size that is none', '?filename=a.gguf&size=big', 'GGUF', 'size must be a number'],
    ['no body', '?filename=a.gguf', null, 'The request body is empty'],
  ])('are not imported from a request with %s', async (_, query, body, message) => {
    const response = await fetchApi(`/v1/models/import${query}`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect((await json(response)).error.message).toContain(message);
  });

  it('are imported by no other method, and the answer says by which', async () => {
    const response = await fetchApi('/v1/models/import?filename=a.gguf', { method: 'PUT', body: 'GGUF' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('POST');
  });

  it('are removed, but for those that come with Paddock', async () => {
    await lead(
      tabs.jobs(async () => {
        models = models.filter(({ card }) => card.id !== 'tiny');
      }),
    );
    const remove = (id: string) => fetchApi(`/v1/models/${id}`, { method: 'DELETE' });
    expect(await json(await remove('pico'))).toMatchObject({ error: { code: 'built_in_model' } });
    expect(await json(await remove('tiny'))).toEqual({ id: 'tiny', object: 'model', deleted: true });
    expect((await remove('tiny')).status).toBe(404);
  });

  it('tell why a job failed', async () => {
    await lead(
      tabs.jobs(async () => {
        throw invalidRequest('The disk is full.');
      }),
    );
    const response = await fetchApi('/v1/models/tiny', { method: 'DELETE' });
    expect(response.status).toBe(400);
    expect((await json(response)).error.message).toBe('The disk is full.');
  });

  /** A job that goes on until it is told not to, and notes that. */
  const endless = (heard: string[]) =>
    tabs.jobs(async (_, emit, { signal }) => {
      const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      emit({ status: 'downloading', file: 'a', completed: 1, total: 2, bytesPerSecond: 1, secondsLeft: 1 });
      await ended;
      heard.push('cancelled');
    });
  const pull = () =>
    fetchApi('/v1/models/pull', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'hf:org/new' }),
    });

  it('are no longer pulled when the page gives up', async () => {
    const heard: string[] = [];
    await lead(endless(heard));
    const response = await pull();
    await response.body?.cancel();
    await eventually(() => expect(heard).toEqual(['cancelled']));
  });

  it('tell when the tab that pulls them is closed', async () => {
    await lead(endless([]));
    const response = await pull();
    tabs.close('leader', 1);
    const said = await response.text();
    expect(said).toContain('"code":"engine_lost"');
    expect(said).not.toContain('[DONE]');
  });
});
