import { startHttpServer } from '../../../src/server/server.ts';
import { openStaticFiles } from '../../../src/server/static.ts';
import { listSite } from '../../../src/site-files.ts';

/** The page asks for both: the health, and what it knows a Paddock by. */
const HEALTH = { status: 'ok', models: [], moving: [], info: { title: 'Paddock' } };

const REPLY = [
  { choices: [{ delta: { content: 'I see.' }, finish_reason: null }] },
  { choices: [{ delta: {}, finish_reason: 'stop' }] },
];

/** A server that serves the page, and says the same to every message at once. It runs no model. */
export interface StandIn extends AsyncDisposable {
  url: string;
  stop(): Promise<void>;
}

/** A model as `GET /v1/models` lists it. */
export function listedModel(id: string, { vision = false, audio = false } = {}): object {
  return {
    id,
    name: id,
    object: 'model',
    context_length: 4096,
    metadata: { size: 1 },
    capabilities: { vision, audio, tools: false, reasoning: false, embedding: false, rerank: false },
    settings: { prompt_template: 'a template' },
  };
}

/** A body of POST /v1/chat/completions. */
export interface Asked {
  messages: { role: string; content: string | null; tool_calls?: { id: string }[]; tool_call_id?: string }[];
  tools?: { function: { name: string } }[];
}

/** The events of a reply that calls these tools. */
export function callsOf(...calls: [name: string, given: object][]): object[] {
  const toolCalls = calls.map(([name, given], index) => ({
    index,
    id: `call_${crypto.randomUUID()}`,
    function: { name, arguments: JSON.stringify(given) },
  }));
  return [{ choices: [{ delta: { tool_calls: toolCalls }, finish_reason: 'tool_calls' }] }];
}

/** The events of a reply that says this. */
export function textOf(content: string): object[] {
  return [{ choices: [{ delta: { content }, finish_reason: 'stop' }] }];
}

/** The model that a form names. */
function modelIn(form: string): string | undefined {
  return /name="model"\r\n\r\n(.*)\r\n/.exec(form)?.[1];
}

/**
 * Starts a stand-in for a Paddock server with these models. The page gets its own policy from our server. `answer` makes the
 * events of each reply.
 */
export async function startStandIn(
  models: object[],
  answer: (asked: Asked) => object[] = () => REPLY,
): Promise<StandIn> {
  const eventsOf = (asked: Asked) =>
    [...answer(asked).map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
  const json = (value: object) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
  const server = await startHttpServer({
    api: async ({ path, text }) => {
      if (path === '/v1/models') return json({ object: 'list', data: models });
      if (path === '/v1/audio/transcriptions') return json({ text: `${modelIn(await text())} heard this.` });
      if (path !== '/v1/chat/completions') return json(HEALTH);
      const body = eventsOf(JSON.parse(await text()) as Asked);
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
    },
    files: openStaticFiles(await listSite('dist-web')),
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    bodyLimits: { bytes: 50e6, inFlightBytes: 100e6, timeMs: 60_000 },
  });
  const stop = () => server.close(0);
  return { url: `http://127.0.0.1:${server.port}`, stop, [Symbol.asyncDispose]: stop };
}
