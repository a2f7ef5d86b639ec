/** Makes an Ogg of packets, each on pages of its own. */
export function makeOgg(packets: Uint8Array[]): Buffer {
  return Buffer.concat(packets.flatMap((packet, index) => pagesOf(packet, index)));
}

/** Makes an Ogg with Opus, mono. A packet holds 20 ms unless its first byte says otherwise. */
export function makeOpus(packets: Uint8Array[], channels = 1): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 'latin1');
  head.set([1, channels], 8);
  head.writeUInt32LE(48_000, 12);
  const tags = Buffer.from('OpusTags\0\0\0\0\0\0\0\0', 'latin1');
  return makeOgg([head, tags, ...packets]);
}

/** The Opus packet of 20 ms of silence. */
export const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);

const SEGMENTS = 255;

function pagesOf(packet: Uint8Array, number: number): Buffer[] {
  const lengths: number[] = [];
  for (let left = packet.length; ; left -= 255) {
    lengths.push(Math.min(left, 255));
    if (left < 255) break;
  }
  const pages: Buffer[] = [];
  for (let at = 0; at < lengths.length; at += SEGMENTS) {
    const segments = lengths.slice(at, at + SEGMENTS);
    const bytes = packet.subarray(at * 255, at * 255 + segments.reduce((sum, length) => sum + length, 0));
    const header = Buffer.alloc(27);
    header.write('OggS', 'latin1');
    header[5] = (number === 0 ? 2 : 0) | (at > 0 ? 1 : 0);
    header.writeUInt32LE(number, 18);
    header[26] = segments.length;
    pages.push(Buffer.concat([header, Buffer.from(segments), bytes]));
  }
  return pages;
}
