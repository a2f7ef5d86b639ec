import childProcess, { type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';

/** The script of node-llama-cpp that tests a binary in a process of its own. */
const TRY_OUT = 'testBindingBinary.js';

/**
 * Skips node-llama-cpp's test of its binary, which takes half of an engine's start: it first loads the binary in
 * another process, because a wrong binary may crash. An engine's process may crash: the server notices and takes the
 * next backend. There is no option to skip the test, so this replaces the other process by an object that reports
 * success.
 */
export function leaveOutTryOut(): void {
  const { fork } = childProcess;
  const forkOrPretend = (...args: Parameters<typeof fork>) =>
    String(args[0]).endsWith(TRY_OUT) ? pretendToTry() : fork(...args);
  childProcess.fork = forkOrPretend as typeof fork;
  // Modules that import `fork` by its name see the new one, too.
  syncBuiltinESMExports();
}

/** Returns an object in place of the process: it reports that the binary was loaded and tested, and exits. */
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
