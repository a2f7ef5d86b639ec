import type { GgufVocabulary } from '../../gguf/vocabulary.ts';

/** The attributes of a token, as llama.cpp's bits. */
export const UNKNOWN = 1;
export const UNUSED = 2;
export const NORMAL = 4;
export const CONTROL = 8;
export const USER_DEFINED = 16;
export const BYTE = 32;

/** The bits for each token type of a GGUF, from type 0 (undefined) on. */
const BITS_OF_TYPE = [0, NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE];

/** The names of tokens that llama.cpp takes for the end of a reply, and for control tokens whatever their type. */
const ENDS = [
  '<|eot_id|>',
  '<|im_end|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<|flush|>',
  '<|calls|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '</s>',
  '<|eom_id|>',
  '<EOT>',
  '_<EOT>',
  '[EOT]',
  '[EOS]',
  '<|end_of_text|>',
  '<end_of_utterance>',
  '<eos>',
  '<turn|>',
  '<|tool_response>',
  '<｜end▁of▁sentence｜>',
  '[e~[',
];

/**
 * The tokens of infilling. llama.cpp takes the first one of each row for a control token, if the header does not name
 * another one.
 */
const INFILL: Record<string, string[]> = {
  fim_pre: [
    '<|fim_prefix|>',
    '<fim-prefix>',
    '<fim_prefix>',
    '<｜fim▁begin｜>',
    '<PRE>',
    '▁<PRE>',
    '<|code_prefix|>',
    '<|prefix|>',
  ],
  fim_suf: [
    '<|fim_suffix|>',
    '<fim-suffix>',
    '<fim_suffix>',
    '<｜fim▁hole｜>',
    '<SUF>',
    '▁<SUF>',
    '<|code_suffix|>',
    '<|suffix|>',
  ],
  fim_mid: [
    '<|fim_middle|>',
    '<fim-middle>',
    '<fim_middle>',
    '<｜fim▁end｜>',
    '<MID>',
    '▁<MID>',
    '<|code_middle|>',
    '<|middle|>',
  ],
  fim_pad: ['<|fim_pad|>', '<fim-pad>', '<fim_pad>', '<PAD>', '[PAD]'],
  fim_rep: ['<|fim_repo|>', '<|repo_name|>', '<fim-repo>', '<REPO>', '<reponame>'],
  fim_sep: ['<|file_sep|>'],
};

/** The text of these tokens of gpt-oss must appear in replies, so llama.cpp does not take them for control tokens. */
const ALWAYS_SHOWN = ['<|channel|>', '<|message|>', '<|start|>', '<|constrain|>'];

/**
 * Returns the attributes of each token: by its type in the header, and by its name where llama.cpp corrects the header.
 * With other control tokens than llama.cpp, the same text would be cut differently.
 */
export function attributesOf({ tokens, types, fields }: GgufVocabulary, ids: ReadonlyMap<string, number>): Uint8Array {
  const attributes = Uint8Array.from(tokens, (_, id) =>
    types.length === 0 ? NORMAL : (BITS_OF_TYPE[types[id] ?? 0] ?? 0),
  );
  const add = (name: string, bit: number) => {
    const id = ids.get(name);
    if (id !== undefined) attributes[id] = (attributes[id] ?? 0) | bit;
  };
  const replace = (name: string, bits: number) => {
    const id = ids.get(name);
    if (id !== undefined) attributes[id] = bits;
  };
  for (const name of ENDS) add(name, CONTROL);
  for (const [kind, names] of Object.entries(INFILL)) {
    const isNamed = fields.number(`tokenizer.ggml.${kind}_token_id`) !== undefined;
    const found = isNamed ? undefined : names.find((name) => ids.has(name));
    if (found !== undefined) add(found, CONTROL);
  }
  for (const name of ALWAYS_SHOWN) replace(name, USER_DEFINED);
  const has = (...names: string[]) => names.every((name) => ids.has(name));
  const isHarmony = has('<|return|>', '<|call|>') || (has('<|flush|>') && (has('<|call|>') || has('<|calls|>')));
  const isSolar = has('<|return|>', '<|calls|>');
  if (isHarmony || isSolar) replace('<|end|>', USER_DEFINED);
  if (has('<|tool_response>')) replace('</s>', NORMAL);
  return attributes;
}

/** Returns the side of a special token on which llama.cpp removes white space; null for neither. */
export type Strips = (name: string) => 'left' | 'right' | null;

/** Returns the rule by which white space is removed beside special tokens. llama.cpp decides it by the model's name. */
export function stripsOf({ pre, fields }: GgufVocabulary): Strips {
  const name = (fields.text('general.name') ?? '').toLowerCase();
  const architecture = fields.text('general.architecture') ?? '';
  const contains = (text: string, ...parts: string[]) => parts.some((part) => text.includes(part));
  if (
    contains(pre, 'jina-v2-de', 'jina-v2-es', 'jina-v2-code') ||
    contains(architecture, 'nomic-bert-moe', 'jina-bert-v3')
  ) {
    return (token) => (token === '<mask>' ? 'left' : null);
  }
  if (contains(name, 'phi-3', 'phi3')) {
    return (token) => (['<unk>', '<s>', '<|endoftext|>'].includes(token) ? null : 'right');
  }
  if (contains(name, 'modern-bert')) return (token) => (token === '[MASK]' ? 'left' : null);
  return () => null;
}
