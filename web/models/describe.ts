import { describeModel } from '../../src/catalogue/describe.ts';
import type { GgufFile } from '../../src/catalogue/found-file.ts';
import type { ModelOverrides } from '../../src/catalogue/model-json.ts';
import { isProjector } from '../../src/catalogue/projector.ts';
import type { ByteSource } from '../../src/gguf/file-reader.ts';
import { readGgufHeader } from '../../src/gguf/header.ts';
import { readSpecialTokens } from '../../src/gguf/special-tokens.ts';
import type { BrowserModel, StoredFile } from '../protocol.ts';

/** A file of a model: its bytes, from which the header is read, and its place, from which the engine loads it. */
export interface DescribedFile {
  name: string;
  bytes: ByteSource;
  stored: StoredFile;
  /** Unix time in ms. */
  modified: number;
}

/**
 * Describes a model from the headers of its files: the GGUF or its parts in order, and the projector if there is one.
 * Throws an `Error` with the reason if a file is incomplete, or if the files are not a model.
 */
export async function describeFiles(
  id: string,
  files: DescribedFile[],
  overrides: ModelOverrides,
): Promise<BrowserModel> {
  const read = await Promise.all(files.map(async (file) => ({ ...file, gguf: await readHeader(file) })));
  const projector = read.find(({ gguf }) => isProjector(gguf));
  const [first, ...others] = read.filter((file) => file !== projector);
  if (!first) throw new Error('the GGUF is no model of its own: it is a projector');
  const parts: [GgufFile, ...GgufFile[]] = [first.gguf, ...others.map(({ gguf }) => gguf)];
  const { card, source } = describeModel(
    id,
    parts,
    { projector: projector?.gguf ?? null, draft: null, adapters: [] },
    overrides,
  );
  const { kind, shape, chatTemplate, loading: { contextLength, threads } = {} } = source;
  return {
    card,
    source: {
      files: [first, ...others].map(({ stored }) => stored),
      ...(projector && { projector: projector.stored }),
      kind,
      shape,
      tokens: await readSpecialTokens(first.bytes, first.gguf.header),
      ...(chatTemplate !== undefined && { chatTemplate }),
      ...(typeof contextLength === 'number' && { contextLength }),
      ...(typeof threads === 'number' && { threads }),
    },
  };
}

async function readHeader({ name, bytes, modified }: DescribedFile): Promise<GgufFile> {
  const file = { path: name, name, folder: '', size: bytes.size, modified, stamp: '' };
  return { file, header: await readGgufHeader(bytes) };
}
