import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../contract/log.ts';
import type { Port } from '../../contract/port.ts';
import type { FromCopyStore } from '../../engine/node/copy-messages.ts';
import { createPortMux } from '../../engine/node/port-mux.ts';
import type {
  CpuLibraries,
  FromEngineProcess,
  LoadResult,
  ToEngineProcess,
  WorkerConfig,
} from '../../engine/node/task.ts';
import type { CopyConnection } from '../copies/store.ts';
import { takeEngine } from './engine-child.ts';
import { EngineDied } from './engine-died.ts';
import { reasonIn } from './last-words.ts';

/** Of what a dying process wrote, the last characters say why. Native code prints its stack last. */
const MOST_WORDS = 16_000;

/** Connects an engine to the store of copies. */
export type ConnectCopies = (send: (message: FromCopyStore) => void) => CopyConnection;

/** How long an engine that is to end may make copies of what its slots hold, in ms. */
const LEAVE_MS = 2000;

/** A process with one engine in it, from its start to its death. */
export interface EngineProcess {
  pid: number;
  /** Sends the configuration; the process may die before it answers. */
  load(config: WorkerConfig): Promise<LoadResult>;
  /** A port for one call; `closed` resolves when the engine is done with it. */
  open(): { port: Port; closed: Promise<void> };
  /** Resolves when the process is gone. */
  died: Promise<EngineDied>;
  /** Ends it at once. */
  kill(): void;
  /** Ends it when it has made copies of what its slots hold, or had the time for it. */
  leave(): Promise<void>;
}

/**
 * @param libraries the libraries that the model needs on the CPU; null for a GPU
 * @param onHeard called at each message of the process. `ofCall` is true if the message belongs to a call
 */
export function startEngineProcess(
  libraries: CpuLibraries | null,
  log: Log,
  onHeard: (ofCall: boolean) => void,
  connectCopies?: ConnectCopies,
): EngineProcess {
  const child = takeEngine(libraries);
  let lastWords = '';
  let killedByUs = false;
  let onLoaded: (result: LoadResult) => void = () => {};
  let onLeft = () => {};
  let copies: CopyConnection | undefined;
  const send = (message: ToEngineProcess) => {
    // A process that has just died takes nothing any more; its death is told apart.
    if (child.connected) child.send(message, () => {});
  };
  const ports = createPortMux(
    (frames) => send({ kind: 'frames', frames }),
    () => {},
  );
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-MOST_WORDS);
    });
  }
  child.on('message', (message: FromEngineProcess) => {
    onHeard(message.kind === 'frames');
    switch (message.kind) {
      case 'frames':
        return ports.receive(message.frames);
      case 'loaded':
        if (message.result.ok) copies = connectCopies?.((message) => send({ kind: 'copies', message }));
        return void Promise.resolve(copies?.told).then(() => onLoaded(message.result));
      case 'copies':
        return copies?.receive(message.message);
      case 'left':
        return onLeft();
      case 'log':
        return log[message.line.level](message.line.message, message.line.fields);
      case 'alive':
        return;
      default:
        return message satisfies never;
    }
  });

  const died = new Promise<EngineDied>((resolve) => {
    child.once('error', (error) => resolve(new EngineDied(`the engine's process failed: ${error.message}`, false)));
    child.once('exit', (code, signal) => {
      copies?.close();
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      const reason = reasonIn(lastWords);
      const message = `the engine's process ${how}${reason === '' ? '' : `: ${reason}`}`;
      resolve(new EngineDied(message, signal === 'SIGKILL' && !killedByUs, lastWords.trim() || undefined));
    });
  });

  const kill = () => {
    killedByUs = true;
    child.kill('SIGKILL');
  };

  return {
    pid: child.pid ?? 0,
    died,
    load(config) {
      const loaded = new Promise<LoadResult>((resolve) => {
        onLoaded = resolve;
      });
      send({ kind: 'load', config });
      return Promise.race([loaded, died.then((death): LoadResult => failedLoad(death))]);
    },
    open: () => ports.open(),
    kill,
    async leave() {
      if (copies) {
        const left = new Promise<void>((resolve) => {
          onLeft = resolve;
        });
        send({ kind: 'leave' });
        await Promise.race([left, died, setTimeout(LEAVE_MS, undefined, { ref: false })]);
      }
      kill();
    },
  };
}

function failedLoad({ message }: EngineDied): LoadResult {
  return { ok: false, reason: message, lacksMemory: false, changed: false };
}
