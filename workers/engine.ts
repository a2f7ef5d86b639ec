import { writeFileSync } from 'node:fs';
import { type Log, toLogFields } from '../src/contract/log.ts';
import type { LeavingEngine } from '../src/engine/native/engine.ts';
import type { FromCopyStore, ToCopyStore } from '../src/engine/node/copy-messages.ts';
import { failedLoadResult } from '../src/engine/node/load-failure.ts';
import { createPortMux } from '../src/engine/node/port-mux.ts';
import { stampOf } from '../src/engine/node/stamp.ts';
import type {
  FromEngineProcess,
  LoadResult,
  ToEngineProcess,
  WorkerConfig,
  WorkerLogLine,
} from '../src/engine/node/task.ts';
import { showSourceLines } from '../src/source-lines.ts';
import { serveInference } from '../src/wire/inference-calls.ts';

showSourceLines();

// The process of one native engine. If native code crashes it, the server goes on.

const ALIVE_MS = 1000;
/** Between 0 and 1000: the kernel ends processes with higher scores first when memory runs out. */
const OUT_OF_MEMORY_SCORE = '500';

let engine: LeavingEngine | undefined;
let hearCopies: (message: FromCopyStore) => void = () => {};

const say = (message: FromEngineProcess) => process.send?.(message);
const sendLog =
  (level: WorkerLogLine['level']) =>
  (message: string, fields: Record<string, unknown> = {}) =>
    void say({ kind: 'log', line: { level, message, fields } });
const log: Log = { debug: sendLog('debug'), info: sendLog('info'), warn: sendLog('warn'), error: sendLog('error') };

const ports = createPortMux(
  (frames) => say({ kind: 'frames', frames }),
  (port) => {
    if (!engine) throw new Error('a call came before the engine was loaded');
    void serveInference(port, engine, (error, { requestId }) =>
      log.error('request failed', { requestId, ...toLogFields(error) }),
    );
  },
);

process.on('message', (message: ToEngineProcess) => {
  switch (message.kind) {
    case 'frames':
      return ports.receive(message.frames);
    case 'open':
      return void importEngine().then(
        (engine) => engine.openCpuLibraries(message.libraries, log),
        () => {},
      );
    case 'load':
      return void load(message.config).then((result) => say({ kind: 'loaded', result }));
    case 'copies':
      return hearCopies(message.message);
    case 'leave':
      return void engine?.leave().finally(() => say({ kind: 'left' }));
    default:
      return message satisfies never;
  }
});
// The server is gone. An orderly exit would wait for native code that is running.
const killSelf = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', killSelf);
// The server may have ended before this line.
if (!process.connected) killSelf();
// Ctrl-C goes to all processes of a terminal; the server decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
setInterval(() => say({ kind: 'alive' }), ALIVE_MS);
sacrificeFirst();
// A process that was started ahead loads its modules while it waits. `load` tells what is wrong with them.
importEngine().catch(() => {});

function importEngine() {
  return import('../src/engine/native/engine.ts');
}

async function load(config: WorkerConfig): Promise<LoadResult> {
  if (config.backend === 'wasm') throw new Error('WebAssembly runs in threads of the server');
  try {
    // Imported on demand, so that a missing native library is a failed load with its reason.
    const { loadNativeEngine } = await importEngine();
    const loaded = await loadNativeEngine(config.engine, config.backend, log, config.memory, linkFor(config));
    if (stampOf(config.engine) !== config.stamp) throw new Error('the files of the model have changed');
    engine = loaded;
    return { ok: true, info: engine.info, traits: engine.traits };
  } catch (error) {
    return failedLoadResult(error, config, log);
  }
}

function linkFor({ copies }: WorkerConfig) {
  if (!copies) return undefined;
  return {
    ...copies,
    send: (message: ToCopyStore) => say({ kind: 'copies', message }),
    listen: (receive: typeof hearCopies) => {
      hearCopies = receive;
    },
  };
}

/** Makes the kernel end this process, and not the server, when memory runs out. */
function sacrificeFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', OUT_OF_MEMORY_SCORE);
  } catch {
    // Not on Linux, or not allowed.
  }
}
