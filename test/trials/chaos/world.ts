import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readText, send } from '../../kit/http.ts';
import { writeEmbeddingModel, writeRerankModel } from '../../kit/models/embedding-model.ts';
import { makeTinyModel, writeTinyModel } from '../../kit/models/tiny-model.ts';
import { type RunningServer, startServer } from '../../kit/servers/server.ts';
import { startHub, type TestHub } from '../../kit/servers/test-hub.ts';

/** A server with its own models, and a hub, both on this machine. */
export interface World extends AsyncDisposable {
  server: RunningServer;
  hub: TestHub;
  /** The models folder. */
  models: string;
  /** A folder on the same disk, from which files are moved into the models folder in one step. */
  aside: string;
}

/** The repository of the hub that can be pulled. */
export const PULLED = { source: 'hf:chaos/pulled', repo: 'chaos/pulled', file: 'pulled.gguf' };

/** Starts a server from `main` on the CPU with one thread and further flags. */
export async function startWorld(main: string, flags: string[]): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-chaos-'));
  const [models, aside, home] = ['models', 'aside', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [join(models, 'shelf'), join(models, 'embed'), join(models, 'rerank'), aside, home])
    mkdirSync(path, { recursive: true });
  writeTinyModel(join(models, 'tiny.gguf'));
  writeTinyModel(join(models, 'shelf', 'brief.gguf'), { seed: 2, endBias: 3 });
  writeEmbeddingModel(join(models, 'embed', 'mini.gguf'));
  writeRerankModel(join(models, 'rerank', 'mini.gguf'));
  const hub = await startHub();
  hub.put(PULLED.repo, PULLED.file, makeTinyModel({ seed: 9 }));
  const args = ['--models', models, '--backend', 'cpu', '--threads', '1', ...flags];
  const env = {
    PADDOCK_HOME: home,
    PADDOCK_LOG_LEVEL: 'warn',
    PADDOCK_ALLOW_PRIVATE_SOURCES: '1',
    HF_ENDPOINT: hub.url,
  };
  const server = await startServer(args, env, main);
  return {
    server,
    hub,
    models,
    aside,
    async [Symbol.asyncDispose]() {
      try {
        process.kill(server.pid, 'SIGKILL');
      } catch {
        // The server has ended already.
      }
      await hub.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the catalogue lists a model whose file was just written. Throws after 10 s. */
export async function waitForModel(url: string, id: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    // A server that stood still for long on a busy machine closes connections that were idle.
    const reply = await send(url, { path: `/v1/models/${encodeURIComponent(id)}` }).catch(() => null);
    if (reply) await readText(reply);
    if (reply?.statusCode === 200) return;
    await sleep(100);
  }
  throw new Error(`the server does not list ${id}`);
}

/** Writes the log of a server that failed to a file and returns the path. */
export function keepLog({ server }: World, name: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'paddock-chaos-log-')), `${name}.log`);
  writeFileSync(path, server.log());
  return path;
}
