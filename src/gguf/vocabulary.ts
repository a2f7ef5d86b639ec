import { createFields, type Fields, type GgufValue } from './fields.ts';
import { type ByteSource, FileReader } from './file-reader.ts';
import { type GgufHeader, readGgufText, readScalar } from './header.ts';

/** All that a GGUF says of its tokenizer. */
export interface GgufVocabulary {
  /** The kind of tokenizer: `gpt2`, `llama`, `bert`, `t5` and others. */
  model: string;
  /** The name of the rules by which a byte-level vocabulary cuts words; '' if the header has none. */
  pre: string;
  /** The texts of the tokens by id. */
  tokens: string[];
  /** llama.cpp's number of each token's type; empty if the header has none. */
  types: number[];
  scores: number[];
  /** Pairs of texts with a space between, the first merge first. */
  merges: string[];
  /** The table by which `t5` normalizes text; empty if there is none. */
  charsmap: number[];
  /** The header's other fields. */
  fields: Fields;
}

/** GGUF's number of the type of texts. */
const TEXT = 8;
/** Items that are read in one attempt: one that reaches the end of its chunk starts again. */
const PORTION = 1024;

/** Reads the whole vocabulary. `source` must be the GGUF of that header; of a split model, the first part. */
export async function readVocabulary(source: ByteSource, { fields }: GgufHeader): Promise<GgufVocabulary> {
  const readable = createFields(fields);
  const list = (name: string) => readList(source, fields.get(`tokenizer.ggml.${name}`));
  const texts = async (name: string) => (await list(name)).map(String);
  const numbers = async (name: string) => (await list(name)).map(Number);
  return {
    model: readable.text('tokenizer.ggml.model') ?? '',
    pre: readable.text('tokenizer.ggml.pre') ?? '',
    tokens: await texts('tokens'),
    types: await numbers('token_type'),
    scores: await numbers('scores'),
    merges: await texts('merges'),
    charsmap: await numbers('precompiled_charsmap'),
    fields: readable,
  };
}

async function readList(source: ByteSource, value: GgufValue | undefined): Promise<unknown[]> {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object') return [];
  const { length, position } = value;
  const reader = new FileReader(source);
  // The type of the items stands before their number.
  reader.skip(position - 12);
  const type = await reader.attempt(() => {
    const type = reader.uint32();
    reader.uint64();
    return type;
  });
  const items: unknown[] = [];
  while (items.length < length) {
    const portion = Math.min(PORTION, length - items.length);
    const read = await reader.attempt(() =>
      Array.from({ length: portion }, () => (type === TEXT ? readGgufText(reader) : readScalar(reader, type))),
    );
    for (const item of read) items.push(item);
  }
  return items;
}
