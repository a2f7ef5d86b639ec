import { describe, expect, it } from 'vitest';
import { chooseByPath, chooseByQuant, type ListedFile, quantLabel } from '../../../src/catalogue/pull/choose.ts';

const listed = (...paths: string[]): ListedFile[] =>
  paths.map((path) => ({ path, size: 1000, sha256: null, validator: null }));

const byQuant = (paths: string[], quant: string | null = null) => {
  const chosen = chooseByQuant(listed(...paths), 'org/repo', quant);
  return { quant: chosen.quant, files: chosen.files.map(({ path }) => path) };
};
const byPath = (paths: string[], path: string) =>
  chooseByPath(listed(...paths), 'org/repo', path).files.map((file) => file.path);

const parts = (prefix: string, total: number) =>
  Array.from({ length: total }, (_, index) => `${prefix}-0000${index + 1}-of-0000${total}.gguf`);

describe('the quantization in a path', () => {
  it.each([
    ['Llama-3.2-1B-Instruct-Q4_K_M.gguf', 'Q4_K_M'],
    ['qwen2.5-0.5b-instruct-q4_k_m.gguf', 'Q4_K_M'],
    ['llama-2-7b.Q5_K_S.gguf', 'Q5_K_S'],
    ['Model-UD-Q4_K_XL.gguf', 'UD-Q4_K_XL'],
    ['Model-IQ2_XXS.gguf', 'IQ2_XXS'],
    ['Model-Q4_0_4_4.gguf', 'Q4_0_4_4'],
    ['Phi-3-mini-4k-instruct-q4.gguf', 'Q4'],
    ['Phi-3-mini-4k-instruct-fp16.gguf', 'FP16'],
    ['gpt-oss-20b-mxfp4.gguf', 'MXFP4'],
    ['Model-TQ1_0.gguf', 'TQ1_0'],
    ['BF16/Model-00001-of-00002.gguf', 'BF16'],
    ['Q8_0/Model-Q8_0-00001-of-00002.gguf', 'Q8_0'],
    ['Model.i1-Q4_K_M.gguf', 'Q4_K_M'],
    ['Qwen3-8B.gguf', null],
    ['Model-Q4_K_M_custom.gguf', null],
  ])('%s: %s', (path, label) => {
    expect(quantLabel(path)).toBe(label);
  });
});

describe('choosing a model by its quantization', () => {
  const bartowski = ['README.md', 'M-IQ4_XS.gguf', 'M-Q4_K_L.gguf', 'M-Q4_K_M.gguf', 'M-Q8_0.gguf', 'M.imatrix'];

  it('takes Q4_K_M by itself', () => {
    expect(byQuant(bartowski)).toEqual({ quant: 'Q4_K_M', files: ['M-Q4_K_M.gguf'] });
  });

  it.each([
    [['M-Q8_0.gguf', 'M-Q5_K_M.gguf', 'M-F16.gguf'], 'M-Q5_K_M.gguf'],
    [['M-Q8_0.gguf', 'M-F16.gguf'], 'M-Q8_0.gguf'],
    [['M-Q4_0.gguf', 'M-UD-Q4_K_XL.gguf'], 'M-UD-Q4_K_XL.gguf'],
    [['only.gguf'], 'only.gguf'],
  ])('takes the next best if the preferred one is missing: %j', (paths, expected) => {
    expect(byQuant(paths).files).toEqual([expected]);
  });

  it('takes the wanted one, in upper or lower case', () => {
    expect(byQuant(bartowski, 'iq4_xs')).toEqual({ quant: 'IQ4_XS', files: ['M-IQ4_XS.gguf'] });
    expect(byQuant(['m-q4_k_m.gguf', 'm-q8_0.gguf'], 'Q8_0')).toEqual({ quant: 'Q8_0', files: ['m-q8_0.gguf'] });
    expect(byQuant(['M-Q4_K_M_custom.gguf', 'M-Q8_0.gguf'], 'q4_k_m_custom').files).toEqual(['M-Q4_K_M_custom.gguf']);
  });

  it('does not accept a part of its name', () => {
    expect(() => byQuant(['M-Q4_K_M.gguf', 'M-UD-Q4_K_XL.gguf'], 'Q4_K')).toThrow(
      /no Q4_K\. It has Q4_K_M, UD-Q4_K_XL/,
    );
    expect(() => byQuant(['M-UD-Q4_K_XL.gguf'], 'Q4_K_XL')).toThrow(/It has UD-Q4_K_XL/);
  });

  it('lists the quantizations if the wanted one is missing', () => {
    expect(() => byQuant(bartowski, 'Q2_K')).toThrow(
      'org/repo has no Q2_K. It has IQ4_XS, Q4_K_L, Q4_K_M, Q8_0: ask for one as hf:org/repo:IQ4_XS.',
    );
    expect(() => byQuant(['a.gguf', 'b.gguf'])).toThrow('Name a file: hf:org/repo/a.gguf, hf:org/repo/b.gguf.');
    expect(() => byQuant(['README.md', 'model.safetensors'])).toThrow('org/repo has no GGUF model');
  });

  it('takes all parts of a split file in order, also from a folder', () => {
    const [one = '', two = ''] = parts('Q4_K_M/M-Q4_K_M', 2);
    expect(byQuant([two, 'M-Q8_0.gguf', one]).files).toEqual([one, two]);
    const bare = parts('BF16/M', 2);
    expect(byQuant([...bare, 'M-Q8_0.gguf'], 'bf16').files).toEqual(bare);
  });

  it('refuses a split file that lacks a part', () => {
    const [one = '', , three = ''] = parts('M-Q4_K_M', 3);
    expect(() => byQuant([one, three])).toThrow("lacks 'M-Q4_K_M-00002-of-00003.gguf'");
  });

  it('prefers a whole file to a split one, and one at the top to one in a folder', () => {
    expect(byQuant([...parts('M-Q4_K_M', 2), 'M-Q4_K_M.gguf']).files).toEqual(['M-Q4_K_M.gguf']);
    expect(byQuant(['old/M-Q4_K_M.gguf', 'M-Q4_K_M.gguf']).files).toEqual(['M-Q4_K_M.gguf']);
  });

  it('asks for a file if several fit equally well', () => {
    expect(() => byQuant(['a-Q4_K_M.gguf', 'b-Q4_K_M.gguf'])).toThrow(
      'Name one of them: hf:org/repo/a-Q4_K_M.gguf, hf:org/repo/b-Q4_K_M.gguf.',
    );
  });

  it('does not take an importance matrix for a model', () => {
    const paths = ['M-imatrix.gguf', 'imatrix_unsloth.gguf', 'M-BF16.imatrix.gguf', 'M-imatrix-Q8_0.gguf'];
    expect(byQuant(paths)).toEqual({ quant: 'Q8_0', files: ['M-imatrix-Q8_0.gguf'] });
  });

  it.each([
    [['mmproj-F32.gguf', 'mmproj-F16.gguf', 'mmproj-BF16.gguf', 'mmproj-Q8_0.gguf'], 'mmproj-F16.gguf'],
    [['mmproj-BF16.gguf', 'mmproj-Q8_0.gguf'], 'mmproj-Q8_0.gguf'],
    [['mmproj-model-f16-4B.gguf'], 'mmproj-model-f16-4B.gguf'],
    [['M-mmproj.gguf', 'mmproj-f32.gguf'], 'mmproj-f32.gguf'],
  ])('adds the best projector of %j', (projectors, best) => {
    expect(byQuant([...projectors, 'M-Q4_K_M.gguf'])).toEqual({ quant: 'Q4_K_M', files: ['M-Q4_K_M.gguf', best] });
  });

  it('adds the projector of the nearest folder above the model, and none from other folders', () => {
    const paths = ['mmproj-F16.gguf', '4b/mmproj-BF16.gguf', '4b/M-Q4_K_M.gguf', '8b/mmproj-F16.gguf'];
    expect(byQuant(paths).files).toEqual(['4b/M-Q4_K_M.gguf', '4b/mmproj-BF16.gguf']);
  });
});

describe('choosing a model by one of its files', () => {
  it('takes that file, and the projector', () => {
    const paths = ['M-Q4_K_M.gguf', 'M-Q8_0.gguf', 'mmproj-F16.gguf'];
    expect(byPath(paths, 'M-Q8_0.gguf')).toEqual(['M-Q8_0.gguf', 'mmproj-F16.gguf']);
  });

  it('takes all parts, whichever one is named', () => {
    const all = parts('x/M-Q4_K_M', 3);
    expect(byPath(all, all[1] ?? '')).toEqual(all);
  });

  it('refuses files that do not exist or are not models', () => {
    const paths = ['M-Q4_K_M.gguf', 'mmproj-F16.gguf', 'imatrix.gguf'];
    expect(() => byPath(paths, 'm-q4_k_m.gguf')).toThrow("org/repo has no file 'm-q4_k_m.gguf'.");
    for (const path of ['mmproj-F16.gguf', 'imatrix.gguf'])
      expect(() => byPath(paths, path)).toThrow(`'${path}' is no model of its own`);
  });
});
