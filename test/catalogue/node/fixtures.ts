import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readFileCatalogue } from '../../../src/catalogue/node/catalogue.ts';
import { recordingLog } from '../../kit/log.ts';
import {
  flag,
  type GgufEntries,
  type GgufTensor,
  ggufChunks,
  text,
  uint32,
  writeHollow,
} from '../../kit/models/gguf-writer.ts';

/** Makes an empty folder for the running test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-catalogue-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A tensor without data, for headers. */
export function tensor(name: string, shape: number[], type: GgufTensor['type'] = 'F32'): GgufTensor {
  return { name, type, shape, chunks: () => [] };
}

/** Returns the beginning of a GGUF, up to the data of its tensors. */
export function headerBytes(entries: GgufEntries, tensors: GgufTensor[] = [tensor('weights', [64])]): Uint8Array {
  const [header] = ggufChunks(entries, tensors);
  return header ?? new Uint8Array();
}

/** Writes a GGUF whose tensors are holes, and makes its folders. Returns its size in bytes. */
export async function writeSparse(path: string, entries: GgufEntries, tensors = [tensor('weights', [64])]) {
  await mkdir(dirname(path), { recursive: true });
  return writeHollow(path, entries, tensors);
}

/** The metadata of a chat model. */
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

/** The metadata of a projector that makes embeddings of the given width. */
export function projectorEntries(width: number, sense: 'vision' | 'audio' = 'vision', more: GgufEntries = {}) {
  return {
    'general.architecture': text('clip'),
    'general.type': text('mmproj'),
    [`clip.has_${sense}_encoder`]: flag(true),
    [`clip.${sense}.projection_dim`]: uint32(width),
    ...more,
  };
}

/** Reads the catalogue of folders, and returns it with the lines of its log. */
export async function readLines(...folders: string[]) {
  const lines: string[] = [];
  const catalogue = await readFileCatalogue(folders, recordingLog(lines));
  return { catalogue, lines, ids: catalogue.list().map(({ id }) => id) };
}
