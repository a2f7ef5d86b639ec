import { Worker } from 'node:worker_threads';
import { programFile } from '../../../package-root.ts';
import type { CompressedAudio } from '../../file-type.ts';
import { broken, MediaProblem, type MediaProblemCode } from '../../problem.ts';

const WORKER_FILE = programFile('decode-audio');

/** Half an hour of stereo takes about 10 s to decode. Some files are made to take hours. */
const LONGEST_MS = 30_000;

/** A file for the thread to decode. */
export interface DecodeTask {
  file: Uint8Array;
  type: CompressedAudio;
  limitSeconds: number;
}

/** The answer of the thread: a WAV, or what is wrong with the file. */
export type Decoded = { ok: true; wav: Uint8Array } | { ok: false; code: MediaProblemCode; message: string };

/**
 * Decodes a file in a thread of its own, so that the server answers others meanwhile. Throws a `MediaProblem` if the file is broken, too
 * long, or takes too much time or memory to decode, and the reason of the signal if that aborts.
 */
export function decodeInThread(task: DecodeTask, signal: AbortSignal): Promise<Uint8Array> {
  const worker = new Worker(WORKER_FILE, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  const ended = new Promise<Uint8Array>((resolve, reject) => {
    worker.once('message', (decoded: Decoded) =>
      decoded.ok ? resolve(decoded.wav) : reject(new MediaProblem(decoded.code, decoded.message)),
    );
    worker.once('error', () => reject(broken('can not be decoded.')));
    worker.once('exit', () => reject(broken('can not be decoded.')));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  const timer = setTimeout(() => void worker.terminate(), LONGEST_MS);
  return ended.finally(() => {
    clearTimeout(timer);
    return worker.terminate();
  });
}
