import { describe, expect, it } from 'vitest';
import { findModel, toPullSource } from '../../../src/api/ollama/names.ts';
import { createContext, modelCard } from '../fixtures.ts';

const ids = ['tiny', 'odd:latest', 'org/repo:Q4_K_M', 'two/repo:Q4_0', 'two/repo:Q8_0', 'org/repo/file'];
const { context } = createContext({ cards: ids.map((id) => modelCard({ id })) });

describe('a model', () => {
  it.each([
    ['tiny', 'tiny'],
    ['tiny:latest', 'tiny'],
    ['odd:latest', 'odd:latest'],
    ['org/repo:Q4_K_M', 'org/repo:Q4_K_M'],
    ['hf.co/org/repo:Q4_K_M', 'org/repo:Q4_K_M'],
    ['hf.co/org/repo:q4_k_m', 'org/repo:Q4_K_M'],
    ['https://huggingface.co/org/repo', 'org/repo:Q4_K_M'],
    ['hf.co/org/repo:latest', 'org/repo:Q4_K_M'],
    ['hf.co/org/repo/file', 'org/repo/file'],
  ])('is found as %s', (name, id) => {
    expect(findModel(context, name).id).toBe(id);
  });

  it.each(['llama3', 'tiny:7b', 'odd', 'hf.co/two/repo', 'hf.co/org/other', 'latest', ':latest'])(
    'is not found as %s',
    (name) => {
      expect(() => findModel(context, name)).toThrow(`model '${name}' not found`);
    },
  );
});

describe('the source of a pull', () => {
  it.each([
    ['hf.co/org/repo', 'hf:org/repo'],
    ['hf.co/org/repo:Q4_K_M', 'hf:org/repo:Q4_K_M'],
    ['huggingface.co/org/repo:latest', 'hf:org/repo'],
    ['https://hf.co/org/repo:Q8_0', 'hf:org/repo:Q8_0'],
    ['hf.co/org/repo/file.gguf', 'hf:org/repo/file.gguf'],
    ['https://huggingface.co/org/repo/blob/main/a.gguf', 'https://huggingface.co/org/repo/blob/main/a.gguf'],
    ['hf:org/repo:Q4_0', 'hf:org/repo:Q4_0'],
    ['https://models.example/a.gguf', 'https://models.example/a.gguf'],
    ['llama3', null],
    ['library/llama3:8b', null],
  ])('of %s is %s', (name, source) => {
    expect(toPullSource(name)).toBe(source);
  });
});
