import { fileTooLarge } from './problem.ts';

/** Joins the pieces of a body. Throws a `MediaProblem` as soon as there are more than `limitBytes` bytes. */
export async function gather(pieces: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > limitBytes) throw fileTooLarge(limitBytes);
    kept.push(piece);
  }
  const file = new Uint8Array(length);
  let position = 0;
  for (const piece of kept) {
    file.set(piece, position);
    position += piece.length;
  }
  return file;
}
