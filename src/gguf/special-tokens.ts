import { createFields } from './fields.ts';
import { type ByteSource, FileReader } from './file-reader.ts';
import { type GgufHeader, readGgufText } from './header.ts';

/** The texts of a model's special tokens; '' for a token that the header does not name. */
export interface SpecialTokens {
  bos: string;
  eos: string;
  /** Null unless the model has the first three tokens. The others stand before the names of a repository and of a file. */
  infill: { prefix: string; suffix: string; middle: string; repository?: string; file?: string } | null;
}

const VOCABULARY = 'tokenizer.ggml.tokens';

/**
 * Looks the special tokens up in the vocabulary. `source` must be the GGUF of that header; of a split model, the first
 * part.
 */
export async function readSpecialTokens(source: ByteSource, header: GgufHeader): Promise<SpecialTokens> {
  const fields = createFields(header.fields);
  const idOf = (name: string) => fields.number(`tokenizer.ggml.${name}_token_id`) ?? -1;
  const ids = ['bos', 'eos', 'fim_pre', 'fim_suf', 'fim_mid', 'fim_rep', 'fim_sep'].map(idOf);
  const [bos = '', eos = '', prefix = '', suffix = '', middle = '', repository = '', file = ''] = await readTokens(
    source,
    header,
    ids,
  );
  if ([prefix, suffix, middle].includes('')) return { bos, eos, infill: null };
  const files = { ...(repository !== '' && { repository }), ...(file !== '' && { file }) };
  return { bos, eos, infill: { prefix, suffix, middle, ...files } };
}

/** Returns the texts of tokens by id; '' for an id that does not exist. */
async function readTokens(source: ByteSource, { fields }: GgufHeader, ids: number[]): Promise<string[]> {
  const vocabulary = fields.get(VOCABULARY);
  if (Array.isArray(vocabulary)) return ids.map((id) => String(vocabulary[id] ?? ''));
  if (typeof vocabulary !== 'object') return ids.map(() => '');
  const { length, position } = vocabulary;
  const reader = new FileReader(source);
  reader.skip(position);
  const found = new Map<number, string>();
  let token = 0;
  for (const id of [...new Set(ids)].filter((id) => id >= 0 && id < length).sort((a, b) => a - b)) {
    for (; token < id; token++) await reader.attempt(() => reader.skip(reader.uint64()));
    found.set(id, await reader.attempt(() => readGgufText(reader)));
    token++;
  }
  return ids.map((id) => found.get(id) ?? '');
}
