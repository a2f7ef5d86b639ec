import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GGUFValueType } from '@huggingface/gguf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncompleteFile } from '../../src/gguf/file-reader.ts';
import { type GgufHeader, readGgufHeader } from '../../src/gguf/header.ts';
import { withOpenFile } from '../../src/gguf/node/open-file.ts';
import { headerBytes, makeFolder, modelEntries, tensor, writeSparse } from '../catalogue/node/fixtures.ts';
import { flag, float32, int32s, text, texts, uint32 } from '../kit/models/gguf-writer.ts';
import { makeTinyModel } from '../kit/models/tiny-model.ts';
import { makeVocabulary, tokenizerEntries } from '../kit/models/vocabulary.ts';
import { repeats } from '../support/repeats.ts';
import { inMemory } from './fixtures.ts';

/** Reads a header from memory. */
function parse(bytes: Uint8Array): Promise<GgufHeader> {
  return readGgufHeader(inMemory(bytes));
}

function readFile(path: string, size: number): Promise<GgufHeader> {
  return withOpenFile({ path, size }, readGgufHeader);
}

/** Builds the beginning of a GGUF by hand. A bigint is a number of 64 bits, `[n]` one of 32 bits, a string a text. */
function bytesOf(...parts: (bigint | [number] | string)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part);
      const bytes = Buffer.alloc(typeof part === 'bigint' ? 8 : 4);
      if (typeof part === 'bigint') bytes.writeBigUInt64LE(part);
      else bytes.writeUInt32LE(part[0]);
      return bytes;
    }),
  );
}

const HUGE = 2n ** 60n;
const oneField = (...rest: (bigint | [number] | string)[]) =>
  Buffer.concat([bytesOf('GGUF', [3], 0n, 1n, 1n, 'k', ...rest), Buffer.alloc(64)]);

describe('the header of a GGUF', () => {
  it('has the fields by their keys', async () => {
    const entries = {
      'a.text': text('Grüße'),
      'a.number': uint32(7),
      'a.float': float32(0.5),
      'a.flag': flag(true),
      'a.texts': texts(['x', 'y']),
      'a.numbers': int32s([1, -2]),
      'a.large': { type: GGUFValueType.FLOAT64, value: 2 ** 40 },
    };
    expect([...(await parse(headerBytes(entries, []))).fields]).toEqual([
      ['a.text', 'Grüße'],
      ['a.number', 7],
      ['a.float', 0.5],
      ['a.flag', true],
      ['a.texts', ['x', 'y']],
      ['a.numbers', [1, -2]],
      ['a.large', 2 ** 40],
    ]);
  });

  it('keeps only the length of a vocabulary, and the fields after it', async () => {
    const vocabulary = makeVocabulary(20_000);
    const { fields } = await parse(headerBytes(tokenizerEntries(vocabulary), []));
    expect(fields.get('tokenizer.ggml.tokens')).toEqual({ length: 20_000, position: expect.any(Number) });
    expect(fields.get('tokenizer.ggml.token_type')).toMatchObject({ length: 20_000 });
    expect(fields.get('tokenizer.chat_template')).toContain('im_start');
  });

  it('has numbers of 64 bits', async () => {
    expect((await parse(oneField([10], 2n ** 40n))).fields.get('k')).toBe(2 ** 40);
    expect((await parse(oneField([11], 2n ** 64n - 5n))).fields.get('k')).toBe(-5);
  });

  it('counts tensors and parameters', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'a.gguf');
    const size = await writeSparse(path, modelEntries(), [tensor('a', [64, 32], 'Q8_0'), tensor('b', [10])]);
    expect(await readFile(path, size)).toMatchObject({ tensorCount: 2, parameterCount: 2058 });
  });

  it('counts the bytes of experts, of which a token uses a few', async () => {
    const path = join(await makeFolder(), 'experts.gguf');
    const tensors = [
      tensor('blk.0.ffn_up_exps.weight', [64, 32, 4], 'Q8_0'),
      tensor('blk.0.ffn_up_shexp.weight', [64, 32], 'Q8_0'),
      tensor('blk.0.attn_q.weight', [64, 64]),
    ];
    const size = await writeSparse(path, modelEntries(), tensors);
    expect(await readFile(path, size)).toMatchObject({
      tensors: { layers: [{ experts: ((64 * 32 * 4) / 32) * 34 }] },
    });
  });

  it('is read without the data after it', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'large.gguf');
    const entries = { ...modelEntries(), ...tokenizerEntries(makeVocabulary(40_000)) };
    const weights = 4 * 1024 ** 3;
    const size = await writeSparse(path, entries, [tensor('weights', [weights / 4], 'F32')]);
    const ends: number[] = [];
    await withOpenFile({ path, size }, (file) =>
      readGgufHeader({
        size,
        read(offset, length) {
          ends.push(offset + length);
          return file.read(offset, length);
        },
      }),
    );
    expect(Math.max(...ends)).toBeLessThan(size - weights + 1024 ** 2);
  });
});

describe('an incomplete GGUF', () => {
  it('is recognised, wherever it ends', async () => {
    const whole = makeTinyModel();
    await expect(parse(whole)).resolves.toMatchObject({ tensorCount: expect.any(Number) });
    const cuts = [0, 3, 8, 24, 100, 1000, 5000, 8000, 8287, 8288, 100_000, whole.length - 1];
    for (const cut of cuts) {
      const error = await parse(whole.subarray(0, cut)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(IncompleteFile);
      expect(error).toMatchObject({ size: cut });
      expect((error as IncompleteFile).expected).toBeGreaterThan(cut);
    }
  });

  it('tells the size it should have once its header is complete', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'a.gguf');
    const size = await writeSparse(path, modelEntries(), [tensor('weights', [4096])]);
    await truncate(path, size - 1);
    await expect(readFile(path, size - 1)).rejects.toMatchObject({ size: size - 1, expected: size });
  });

  it('includes a file that shrinks while it is read', async () => {
    const bytes = headerBytes(modelEntries());
    const shrunk = { size: bytes.length, read: async () => new Uint8Array() };
    await expect(readGgufHeader(shrunk)).rejects.toThrow(IncompleteFile);
  });
});

describe('a hostile header', () => {
  it.each<[string, Buffer, RegExp]>([
    ['no GGUF', Buffer.from('this is no GGUF, but a text'), /no GGUF/],
    ['version 1', bytesOf('GGUF', [1], 0n, 0n), /version 1/],
    ['big-endian', bytesOf('GGUF', [0x03000000], 0n, 0n), /big-endian/],
    ['endless fields', bytesOf('GGUF', [3], 0n, HUGE), /fields/],
    ['endless tensors', bytesOf('GGUF', [3], HUGE, 0n), /tensors/],
    ['an endless key', bytesOf('GGUF', [3], 0n, 1n, HUGE), /incomplete/],
    ['an endless text', oneField([8], HUGE), /incomplete/],
    ['an array of endless numbers', oneField([9], [4], HUGE), /incomplete/],
    ['an array of endless texts', oneField([9], [8], HUGE, HUGE), /incomplete/],
    ['arrays within arrays', oneField([9], [9], 1n, [9], 1n), /unknown type 9/],
    ['an unknown type', oneField([99]), /unknown type 99/],
    ['a tensor of many dimensions', bytesOf('GGUF', [3], 1n, 0n, 1n, 't', [4_000_000_000]), /dimensions/],
    [
      'a tensor of endless elements',
      bytesOf('GGUF', [3], 1n, 0n, 1n, 't', [4], HUGE, HUGE, HUGE, HUGE, [0], 0n),
      /parameters/,
    ],
    ['data far away', bytesOf('GGUF', [3], 1n, 0n, 1n, 't', [1], 1n, [0], HUGE), /incomplete/],
  ])('of %s is refused with the reason', async (_, bytes, reason) => {
    await expect(parse(bytes)).rejects.toThrow(reason);
  });

  it('with a text of gigabytes is refused without reading it', async () => {
    const path = join(await makeFolder(), 'a.gguf');
    await writeFile(path, oneField([8], 3n * 2n ** 30n));
    const size = 4 * 1024 ** 3;
    await truncate(path, size);
    await expect(readFile(path, size)).rejects.toThrow('a text of 3221225472 bytes');
  });

  it('with endless empty texts is refused before it is read to the end', async () => {
    const path = join(await makeFolder(), 'a.gguf');
    await writeFile(path, oneField([9], [8], HUGE));
    const size = 2 * 1024 ** 3;
    await truncate(path, size);
    await expect(readFile(path, size)).rejects.toThrow('longer than');
  });

  it('is read or refused, whichever bytes are wrong', async () => {
    const bytes = makeTinyModel().subarray(0, 9000);
    const damage = fc.array(fc.tuple(fc.nat(8500), fc.nat(255)), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(damage, async (wrong) => {
        const broken = Uint8Array.from(bytes);
        for (const [at, byte] of wrong) broken[at] = byte;
        await parse(broken).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
      }),
      { numRuns: repeats(300, 1200) },
    );
  });
});
