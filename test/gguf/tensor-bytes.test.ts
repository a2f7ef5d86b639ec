import { describe, expect, it } from 'vitest';
import { addTensor, expertsPattern, joinTensors, noTensors } from '../../src/gguf/tensor-bytes.ts';

function bytesOf(tensors: [string, number][]) {
  const bytes = noTensors();
  for (const [name, size] of tensors) addTensor(bytes, name, size);
  return bytes;
}

describe('the bytes of tensors', () => {
  it('are counted by layer, with those of experts apart', () => {
    const bytes = bytesOf([
      ['token_embd.weight', 100],
      ['blk.0.attn_q.weight', 1],
      ['blk.0.ffn_gate_inp.weight', 2],
      ['blk.0.ffn_up_exps.weight', 10],
      ['blk.1.ffn_down_exps.bias', 20],
      ['blk.1.ffn_up_shexp.weight', 4],
      ['output_norm.weight', 5],
      ['output.weight', 200],
    ]);
    expect(bytes).toEqual({
      layers: [
        { experts: 10, rest: 3 },
        { experts: 20, rest: 4 },
      ],
      embedding: 100,
      output: 200,
      others: 5,
    });
  });

  it('are those of all files together', () => {
    const one = bytesOf([['blk.0.attn_q.weight', 1]]);
    const other = bytesOf([
      ['blk.1.attn_q.weight', 2],
      ['output.weight', 3],
    ]);
    expect(joinTensors([one, other])).toMatchObject({
      layers: [
        { experts: 0, rest: 1 },
        { experts: 0, rest: 2 },
      ],
      output: 3,
    });
  });

  it('tell an MTP layer by its projection, in any of the files', () => {
    const files = [bytesOf([['blk.1.nextn.enorm.weight', 1]]), bytesOf([['blk.1.nextn.eh_proj.weight', 2]])];
    expect(joinTensors(files).layers).toEqual([
      { experts: 0, rest: 0 },
      { experts: 0, rest: 3, isMtp: true },
    ]);
  });

  it('are not those of a layer whose number a broken header names', () => {
    expect(bytesOf([['blk.4000000000.attn_q.weight', 7]])).toMatchObject({ layers: [], others: 7 });
  });
});

describe('the pattern of experts', () => {
  it('matches the experts of the first layers and nothing else', () => {
    const pattern = new RegExp(expertsPattern(2));
    const names = ['blk.0.ffn_up_exps.weight', 'blk.1.ffn_gate_exps.weight', 'blk.1.ffn_down_exps.bias'];
    expect(names.filter((name) => pattern.test(name))).toEqual(names);
    const others = [
      'blk.2.ffn_up_exps.weight',
      'blk.11.ffn_up_exps.weight',
      'blk.0.ffn_up.weight',
      'blk.0.attn_q.weight',
    ];
    expect(others.filter((name) => pattern.test(name))).toEqual([]);
  });
});
