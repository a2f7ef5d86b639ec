import { statSync } from 'node:fs';
import { gguf } from '@huggingface/gguf';
import { describe, expect, it } from 'vitest';
import { supportsToolCalls, supportsTools } from '../../../src/chat/formats/template-support.ts';
import { MODEL, template } from './files.ts';

const { metadata, parameterCount } = await gguf(MODEL, { allowLocalFile: true, computeParametersCount: true });
const fields = metadata as unknown as Record<string, unknown>;

describe('pico.gguf', () => {
  it('has at most 6 MB and some millions of parameters', () => {
    expect(statSync(MODEL).size).toBeLessThanOrEqual(6_000_000);
    expect(parameterCount).toBeGreaterThan(1_000_000);
  });

  it('says what it is, by whom, and under which licence', () => {
    expect(fields).toMatchObject({
      'general.architecture': 'llama',
      'general.name': 'Pico',
      'general.author': 'Paddock',
      'general.license': 'mit',
      'general.languages': ['en'],
    });
    expect(fields['general.description']).not.toBe('');
  });

  it('has the chat template that it was trained with, which knows tools and calls', () => {
    expect(fields['tokenizer.chat_template']).toBe(template());
    expect(supportsTools(template())).toBe(true);
    expect(supportsToolCalls(template())).toBe(true);
  });

  it('has a byte-level vocabulary of its own of 2,000 to 4,000 tokens', () => {
    const tokens = fields['tokenizer.ggml.tokens'] as string[];
    expect(tokens.length).toBeGreaterThanOrEqual(2000);
    expect(tokens.length).toBeLessThanOrEqual(4000);
    expect(new Set(tokens).size).toBe(tokens.length);
  });
});
