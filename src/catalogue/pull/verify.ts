import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { GGMLQuantizationType, gguf } from '@huggingface/gguf';
import { bytesAt } from './download.ts';
import type { RemoteFile } from './remote.ts';

/** A fetched file is not what it should be. The message completes the sentence "<the file> ...". */
export class WrongContent extends Error {}

/**
 * Compares a fetched file with its size and sha256, and its length with what its own header promises.
 *
 * @throws WrongContent
 */
export async function verify({ size, sha256 }: RemoteFile, path: string, signal: AbortSignal): Promise<void> {
  const bytes = await bytesAt(path);
  if (bytes !== size) throw new WrongContent(`has ${bytes} bytes and should have ${size}`);
  if (sha256 !== null) {
    const actual = await hashFile(path, signal);
    if (actual !== sha256) throw new WrongContent(`has the sha256 ${actual} and should have ${sha256}`);
  }
  const needed = await ggufBytes(path);
  if (bytes < needed) throw new WrongContent(`has ${bytes} bytes, and its header promises at least ${needed}`);
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) hash.update(piece);
  return hash.digest('hex');
}

/** How long a GGUF is by its header: to the end of its last tensor. Throws `WrongContent` for what is no GGUF. */
async function ggufBytes(path: string): Promise<number> {
  const { tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true }).catch(() => {
    throw new WrongContent('is no GGUF, or one with a broken header');
  });
  const ends = tensorInfos.map(({ offset, shape, dtype }) => Number(offset) + tensorBytes(shape.map(Number), dtype));
  return Number(tensorDataOffset) + ends.reduce((last, end) => Math.max(last, end), 0);
}

/** Types of a newer llama.cpp than is known here count as empty: their tensors are checked for their beginning alone. */
function tensorBytes(shape: number[], type: GGMLQuantizationType): number {
  const [elements, bytes] = BLOCKS[GGMLQuantizationType[type] ?? ''] ?? [1, 0];
  return (shape.reduce((product, size) => product * size, 1) / elements) * bytes;
}

/** Elements and bytes of a block of each type, as ggml lays them out. */
const BLOCKS: Record<string, [number, number]> = {
  ...{ F32: [1, 4], F16: [1, 2], BF16: [1, 2], F64: [1, 8], I8: [1, 1], I16: [1, 2], I32: [1, 4], I64: [1, 8] },
  ...{ Q4_0: [32, 18], Q4_1: [32, 20], Q5_0: [32, 22], Q5_1: [32, 24], Q8_0: [32, 34], Q8_1: [32, 36] },
  ...{ Q2_K: [256, 84], Q3_K: [256, 110], Q4_K: [256, 144], Q5_K: [256, 176], Q6_K: [256, 210], Q8_K: [256, 292] },
  ...{ IQ1_S: [256, 50], IQ1_M: [256, 56], IQ2_XXS: [256, 66], IQ2_XS: [256, 74], IQ2_S: [256, 82] },
  ...{ IQ3_XXS: [256, 98], IQ3_S: [256, 110], IQ4_NL: [32, 18], IQ4_XS: [256, 136] },
  ...{ TQ1_0: [256, 54], TQ2_0: [256, 66], MXFP4: [32, 17] },
};
