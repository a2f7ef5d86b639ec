import { parentPort, workerData } from 'node:worker_threads';
import { decodeAudio } from '../src/media/node/audio/decode-audio.ts';
import type { Decoded, DecodeTask } from '../src/media/node/audio/decode-thread.ts';
import { MediaProblem } from '../src/media/problem.ts';

const { file, type, limitSeconds } = workerData as DecodeTask;
void decode().then((decoded) =>
  parentPort?.postMessage(decoded, decoded.ok ? [decoded.wav.buffer as ArrayBuffer] : []),
);

/** Any error but a `MediaProblem` ends the thread, and its parent gets it. */
async function decode(): Promise<Decoded> {
  try {
    return { ok: true, wav: await decodeAudio(file, type, limitSeconds) };
  } catch (error) {
    if (error instanceof MediaProblem) return { ok: false, code: error.code, message: error.message };
    throw error;
  }
}
