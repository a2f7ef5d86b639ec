import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readCatalogue } from '../../src/catalogue/catalogue.ts';
import {
  flag,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  tensorBytes,
  text,
  uint32,
} from '../fixtures/gguf-writer.ts';
import { recordingLog } from '../support/log.ts';

/** An empty folder for the running test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-catalogue-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A tensor without data, for headers. */
export function tensor(name: string, shape: number[], type: GgufTensor['type'] = 'F32'): GgufTensor {
  return { name, type, shape, chunks: () => [] };
}

/** A GGUF up to where its tensors' data begins. */
export function headerBytes(entries: GgufEntries, tensors: GgufTensor[] = [tensor('weights', [64])]): Uint8Array {
  const [header] = ggufChunks(entries, tensors);
  return header ?? new Uint8Array();
}

/** Writes a GGUF whose tensors are all zeros and take no room on the disk. Makes the folders that it needs. */
export async function writeSparse(
  path: string,
  entries: GgufEntries,
  tensors: GgufTensor[] = [tensor('weights', [64])],
): Promise<number> {
  const header = headerBytes(entries, tensors);
  const size = tensors.reduce((sum, tensor) => sum + Math.ceil(tensorBytes(tensor) / 32) * 32, header.length);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, header);
  await truncate(path, size);
  return size;
}

/** The metadata of a model that writes text. */
export function modelEntries(more: GgufEntries = {}): GgufEntries {
  return {
    'general.architecture': text('llama'),
    'general.name': text('A model'),
    'llama.context_length': uint32(2048),
    'llama.embedding_length': uint32(128),
    'llama.block_count': uint32(4),
    'llama.attention.head_count': uint32(8),
    ...more,
  };
}

/** The metadata of a projector into embeddings of the given width. */
export function projectorEntries(width: number, sense: 'vision' | 'audio' = 'vision', more: GgufEntries = {}) {
  return {
    'general.architecture': text('clip'),
    'general.type': text('mmproj'),
    [`clip.has_${sense}_encoder`]: flag(true),
    [`clip.${sense}.projection_dim`]: uint32(width),
    ...more,
  };
}

/** The catalogue of a folder, and the lines of its log. */
export async function readLines(...folders: string[]) {
  const lines: string[] = [];
  const catalogue = await readCatalogue(folders, recordingLog(lines));
  return { catalogue, lines, ids: catalogue.list().map(({ id }) => id) };
}
