import { OpusDecoder } from 'opus-decoder';
import { hasText, viewOf } from '../../bytes.ts';
import { broken, tooLarge } from '../../problem.ts';
import { createMonoWriter, RATE } from './mono-writer.ts';

/** The rate in which the header counts samples, in Hz. */
const HEADER_RATE = 48_000;
/** The packets that are decoded at once: at most 120 ms each. */
const AT_ONCE = 500;
/** The durations of a frame in ms, by the configuration in the first bits of a packet: SILK, hybrid, CELT. */
const FRAME_MS = [
  ...Array.from({ length: 3 }, () => [10, 20, 40, 60]),
  ...Array.from({ length: 2 }, () => [10, 20]),
  ...Array.from({ length: 4 }, () => [2.5, 5, 10, 20]),
].flat();

/**
 * Decodes the packets of an Opus stream, the first two of which are its headers: https://www.rfc-editor.org/rfc/rfc7845. Their length is
 * known before anything is decoded. Throws a `MediaProblem` if the stream is broken or too long.
 */
export async function decodeOpus(packets: Uint8Array[], limitSeconds: number): Promise<Uint8Array> {
  const [head, , ...sound] = packets;
  if (!head || head.length < 19 || !hasText(head, 0, 'OpusHead')) throw broken('is a broken Opus: it has no header.');
  const channels = head[9] ?? 0;
  if (channels < 1 || channels > 2) throw broken(`has ${channels} channels: only mono and stereo are taken.`);
  const seconds = sound.reduce((sum, packet) => sum + secondsOf(packet), 0);
  if (seconds > limitSeconds)
    throw tooLarge(`lasts ${Math.ceil(seconds)} seconds, longer than the limit of ${limitSeconds}.`);
  const preSkip = Math.round((viewOf(head).getUint16(10, true) * RATE) / HEADER_RATE);
  const decoder = new OpusDecoder({ channels, sampleRate: RATE, preSkip });
  await decoder.ready;
  const writer = createMonoWriter(limitSeconds);
  for (let at = 0; at < sound.length; at += AT_ONCE) {
    const { channelData, samplesDecoded } = decoder.decodeFrames(sound.slice(at, at + AT_ONCE));
    writer.add(
      channelData.map((channel) => channel.subarray(0, samplesDecoded)),
      RATE,
    );
  }
  return writer.end();
}

/** Returns the duration of a packet: https://www.rfc-editor.org/rfc/rfc6716#section-3.1 */
function secondsOf(packet: Uint8Array): number {
  const [first = 0, second = 0] = packet;
  const frames = [1, 2, 2, second & 0x3f][first & 3] ?? 1;
  return (frames * (FRAME_MS[first >> 3] ?? 20)) / 1000;
}
