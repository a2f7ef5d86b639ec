import { gguf } from '@huggingface/gguf';
import type { ModelTraits } from '../../../core/chat/prepare.ts';

/** The special tokens of a model as text, from the metadata of its first GGUF file; '' where it names none. */
export async function readSpecialTokens(file: string): Promise<Pick<ModelTraits, 'bos' | 'eos' | 'infill'>> {
  const { metadata } = await gguf(file, { allowLocalFile: true });
  const fields = metadata as unknown as Record<string, unknown>;
  const tokens = fields['tokenizer.ggml.tokens'];
  const textOf = (name: string): string => {
    const id = fields[`tokenizer.ggml.${name}_token_id`];
    return id !== undefined && Array.isArray(tokens) ? String(tokens[Number(id)] ?? '') : '';
  };
  const infill = { prefix: textOf('fim_pre'), suffix: textOf('fim_suf'), middle: textOf('fim_mid') };
  return { bos: textOf('bos'), eos: textOf('eos'), infill: Object.values(infill).includes('') ? null : infill };
}
