import { t } from '../messages/language.ts';
import { toMono, writeWav } from './wav.ts';

/** Models that hear take speech at this rate, in samples a second. */
const RATE = 16_000;

/** The longest recording, in seconds. Its file has 19 MB then, and may have 21 MB. */
export const LONGEST_SECONDS = 600;

/** A recording that runs. */
export interface Recorder {
  /** Ends it and gives its file. Throws an `Error` whose message is for people. */
  stop(): Promise<File>;
}

/** True if this browser lets this page record. Over plain http it does not. */
export function canRecord(): boolean {
  return isSecureContext && 'MediaRecorder' in globalThis && navigator.mediaDevices?.getUserMedia !== undefined;
}

/** Asks for the microphone and records. Throws an `Error` whose message is for people. */
export async function startRecording(): Promise<Recorder> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch((error: unknown) => {
    throw new Error(reasonOf(error));
  });
  const recorder = new MediaRecorder(stream);
  const pieces: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
  // It also ends by itself, when the microphone is unplugged.
  const ended = new Promise<void>((resolve) => recorder.addEventListener('stop', () => resolve()));
  recorder.start();
  return {
    async stop() {
      if (recorder.state !== 'inactive') recorder.stop();
      await ended;
      for (const track of stream.getTracks()) track.stop();
      return toFile(new Blob(pieces));
    },
  };
}

/** Each browser records in a format of its own. */
async function toFile(recorded: Blob): Promise<File> {
  const reader = new OfflineAudioContext(1, 1, RATE);
  const audio = await reader.decodeAudioData(await recorded.arrayBuffer()).catch(() => {
    throw new Error(t('recording.nothing'));
  });
  const channels = Array.from({ length: audio.numberOfChannels }, (_, index) => audio.getChannelData(index));
  const time = new Date().toTimeString().slice(0, 8).replaceAll(':', '-');
  return new File([writeWav(toMono(channels), RATE)], t('recording.name', { time }), { type: 'audio/wav' });
}

function reasonOf(error: unknown): string {
  const { name } = error as Error;
  if (name === 'NotAllowedError') return t('recording.notAllowed');
  if (name === 'NotFoundError') return t('recording.none');
  return t('recording.inUse');
}
