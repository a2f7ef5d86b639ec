import { hasText } from '../../bytes.ts';
import type { CompressedAudio } from '../../file-type.ts';
import { broken } from '../../problem.ts';
import { decodeFlac, FLAC_HEADER_BYTES } from './flac.ts';
import { isFrame } from './flac-frame.ts';
import { oggPackets } from './ogg.ts';

/** The beginning of a FLAC in Ogg: a byte, FLAC, the version and the number of headers. The header of the FLAC follows. */
const OGG_FLAC = '\x7fFLAC';
const OGG_FLAC_BYTES = 9;

/**
 * Decodes a FLAC, or an Ogg with Opus or FLAC, to a mono WAV of 16 kHz. Throws a `MediaProblem` if the file is broken, longer than
 * `limitSeconds`, or of another kind.
 */
export async function decodeAudio(file: Uint8Array, type: CompressedAudio, limitSeconds: number): Promise<Uint8Array> {
  if (type === 'FLAC') return decodeFlac(file, limitSeconds);
  const [head] = oggPackets(file);
  if (!head) throw broken('is an Ogg without a whole packet.');
  if (hasText(head, 0, OGG_FLAC)) return decodeFlac(unpackFlac(file, head), limitSeconds);
  if (hasText(head, 0, '\x01vorbis')) throw broken('is an Ogg with Vorbis: Ogg is taken with Opus or FLAC.');
  if (!hasText(head, 0, 'OpusHead')) throw broken('is an Ogg with neither Opus nor FLAC.');
  // Loaded with the first file of its kind.
  const { decodeOpus } = await import('./opus.ts');
  return decodeOpus([...oggPackets(file)], limitSeconds);
}

/** Returns the FLAC in an Ogg, without the blocks of text and pictures. */
function unpackFlac(file: Uint8Array, head: Uint8Array): Uint8Array {
  const header = Uint8Array.from(head.subarray(OGG_FLAC_BYTES, OGG_FLAC_BYTES + FLAC_HEADER_BYTES));
  // Marks the only block as the last.
  if (header.length > 4) header[4] = (header[4] ?? 0) | 0x80;
  const frames = [...oggPackets(file)].filter((packet) => isFrame(packet, 0));
  return Buffer.concat([header, ...frames]);
}
