import { hasText, viewOf } from '../../bytes.ts';
import { broken } from '../../problem.ts';

/** The bytes of a page's header before the lengths of its segments. */
const HEADER_BYTES = 27;

/**
 * Yields the packets of the first stream in an Ogg file, in order: https://www.rfc-editor.org/rfc/rfc3533. A packet that is cut off is
 * left out. Throws a `MediaProblem` if a page does not begin where the last one ends.
 */
export function* oggPackets(file: Uint8Array): Generator<Uint8Array> {
  const view = viewOf(file);
  let serial: number | null = null;
  /** The beginning of a packet that goes on in the next page. */
  let begun: Uint8Array[] = [];
  for (let position = 0; position + HEADER_BYTES <= file.length; ) {
    if (!hasText(file, position, 'OggS')) throw broken(`is a broken Ogg: no page begins at byte ${position}.`);
    const segments = file[position + 26] ?? 0;
    const own = view.getUint32(position + 14, true);
    serial ??= own;
    let at = position + HEADER_BYTES + segments;
    let from = at;
    for (let index = 0; index < segments; index++) {
      const length = file[position + HEADER_BYTES + index] ?? 0;
      at += length;
      if (length === 255 || own !== serial) continue;
      if (at > file.length) return;
      yield join([...begun, file.subarray(from, at)]);
      begun = [];
      from = at;
    }
    if (own === serial && from < at) begun.push(file.subarray(from, at));
    position = at;
  }
}

function join(pieces: Uint8Array[]): Uint8Array {
  const [first = new Uint8Array()] = pieces;
  return pieces.length > 1 ? Buffer.concat(pieces) : first;
}
