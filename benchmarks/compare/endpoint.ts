import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { freePort } from '../../test/kit/servers/free-port.ts';
import type { Target } from './request.ts';

/** The place of an endpoint: a URL up to and including `/v1`, or a command that starts it. */
export interface EndpointSpec {
  name: string;
  /** In a command, `{model}`, `{folder}` and `{port}` stand for the model's file, its folder and a free port. */
  at: string;
}

/** A running endpoint. */
export interface Endpoint extends AsyncDisposable {
  name: string;
  target: Target;
  /** The process that was started for it; null if it ran already. */
  pid: number | null;
}

const START_TIMEOUT_MS = 120_000;
const POLL_MS = 200;

/** Parses `name=place` or only the place: a URL or a command. */
export function parseEndpoint(text: string): EndpointSpec {
  const [, name, at] = /^([\w .-]+)=(.+)$/s.exec(text) ?? [];
  return name !== undefined && at !== undefined ? { name, at } : { name: 'peer', at: text };
}

/**
 * Starts an endpoint if it is a command, and waits until it lists its models. Throws with its output if it ends first.
 */
export async function openEndpoint({ name, at }: EndpointSpec, modelFile: string): Promise<Endpoint> {
  if (/^https?:/.test(at)) {
    const base = at.replace(/\/$/, '');
    const model = await findModel(base, modelFile);
    return { name, target: { base, model }, pid: null, [Symbol.asyncDispose]: async () => {} };
  }
  const port = await freePort();
  const values: Record<string, string> = { model: modelFile, folder: dirname(modelFile), port: String(port) };
  const command = at.replace(/\{(model|folder|port)\}/g, (_, key: string) => values[key] ?? '');
  // A new home folder, without prompts that an earlier run stored on the disk.
  const home = mkdtempSync(join(tmpdir(), 'paddock-bench-'));
  const child = spawn(command, {
    shell: true,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PADDOCK_HOME: home },
  });
  const stop = stopper(child, home);
  try {
    const base = `http://127.0.0.1:${port}/v1`;
    const model = await untilReady(child, () => findModel(base, modelFile));
    return { name, target: { base, model }, pid: child.pid ?? null, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Returns the function that ends a command and deletes its home. The shell of the command leads its own process group,
 * so its children end with it. They also end with this process.
 */
function stopper(child: ChildProcess, home: string): () => Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGTERM');
  };
  const clear = () => rmSync(home, { recursive: true, force: true });
  const atExit = () => {
    end();
    clear();
  };
  process.once('exit', atExit);
  return async () => {
    process.off('exit', atExit);
    end();
    await ended;
    clear();
  };
}

async function untilReady(child: ChildProcess, ask: () => Promise<string>): Promise<string> {
  const LAST_CHARACTERS = 2000;
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-LAST_CHARACTERS);
    });
  }
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the endpoint ended with code ${child.exitCode}:\n${printed}`);
    try {
      return await ask();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  throw new Error(`the endpoint does not answer:\n${printed}`);
}

/** Returns the id of the model that is named like the file, or of the first model. */
async function findModel(base: string, modelFile: string): Promise<string> {
  const response = await fetch(`${base}/models`);
  if (!response.ok) throw new Error(`${base}/models: ${response.status}`);
  const { data } = (await response.json()) as { data: { id: string }[] };
  const stem = basename(modelFile, '.gguf');
  const model = data.find(({ id }) => id === stem) ?? data[0];
  if (!model) throw new Error(`${base} has no model`);
  return model.id;
}
