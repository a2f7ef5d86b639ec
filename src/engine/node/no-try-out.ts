import childProcess, { type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';

/** The file of node-llama-cpp that runs as the process of a try-out. */
const TRY_OUT = 'testBindingBinary.js';

/**
 * Leaves out node-llama-cpp's try-out of its binary, which takes half of an engine's start: it loads the binary in another
 * process first, since a wrong one may crash. An engine's process may crash: the server notices and takes the next backend.
 * There is no option for it, so this answers in place of the other process.
 */
export function leaveOutTryOut(): void {
  const { fork } = childProcess;
  const forkOrPretend = (...args: Parameters<typeof fork>) =>
    String(args[0]).endsWith(TRY_OUT) ? pretendToTry() : fork(...args);
  childProcess.fork = forkOrPretend as typeof fork;
  // Modules that import `fork` by its name see the new one, too.
  syncBuiltinESMExports();
}

/** A process that is asked to load a binary and to try it, says that it has, and exits. */
function pretendToTry(): ChildProcess {
  const answers: Record<string, () => boolean> = {
    start: () => tryOut.emit('message', { type: 'loaded' }),
    test: () => tryOut.emit('message', { type: 'done' }),
    exit: () => tryOut.emit('exit', 0),
  };
  const tryOut = Object.assign(new EventEmitter(), {
    exitCode: null,
    send: ({ type }: { type: string }) => setImmediate(() => answers[type]?.()),
    kill: () => true,
  });
  setImmediate(() => tryOut.emit('message', { type: 'ready' }));
  return tryOut as unknown as ChildProcess;
}
