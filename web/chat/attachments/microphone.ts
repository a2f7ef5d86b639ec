import { t } from '../messages/language.ts';
import { decodeToWav } from './decode-audio.ts';

/** The longest recording, in seconds. Its file has 19 MB; the limit of the API is 21 MB. */
export const LONGEST_SECONDS = 600;

/** A running recording. */
export interface Recorder {
  /** Ends the recording and returns its file. Throws an `Error` whose message is for people. */
  stop(): Promise<File>;
}

/** Asks for the microphone and begins to record. Throws an `Error` whose message is for people. */
export async function startRecording(): Promise<Recorder> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch((error: unknown) => {
    throw new Error(reasonOf(error));
  });
  const recorder = new MediaRecorder(stream);
  const pieces: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
  // The recorder also stops when the microphone is unplugged.
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

/** Converts a recording to WAV, because each browser records in a different format. */
async function toFile(recorded: Blob): Promise<File> {
  const wav = await decodeToWav(recorded);
  if (!wav) throw new Error(t('recording.nothing'));
  const time = new Date().toTimeString().slice(0, 8).replaceAll(':', '-');
  return new File([wav], t('recording.name', { time }), { type: 'audio/wav' });
}

function reasonOf(error: unknown): string {
  const { name } = error as Error;
  if (name === 'NotAllowedError') return t('recording.notAllowed');
  if (name === 'NotFoundError') return t('recording.none');
  return t('recording.inUse');
}
