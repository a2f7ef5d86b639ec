import { toMono } from '../../../src/media/mono.ts';
import { writeWav } from './wav.ts';

/** The sample rate of decoded recordings, in samples per second. Models that take audio expect it. */
const RATE = 16_000;

/**
 * Decodes a recording in any format that the browser plays, and returns it as a mono WAV file. Returns null if the browser
 * can't decode it.
 */
export async function decodeToWav(recorded: Blob): Promise<Uint8Array<ArrayBuffer> | null> {
  const context = new OfflineAudioContext(1, 1, RATE);
  const audio = await context.decodeAudioData(await recorded.arrayBuffer()).catch(() => null);
  if (!audio) return null;
  const channels = Array.from({ length: audio.numberOfChannels }, (_, index) => audio.getChannelData(index));
  return writeWav(toMono(channels), RATE);
}
