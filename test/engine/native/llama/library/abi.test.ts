// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAbi, findMismatches } from '../../../../../src/engine/native/llama/library/abi.ts';
import { findBinaries } from '../../../../../src/engine/native/llama/library/binaries.ts';
import { type Bindings, bind } from '../../../../../src/engine/native/llama/library/bindings.ts';
import { FUNCTIONS } from '../../../../../src/engine/native/llama/library/functions.ts';
import { readInstructionSets } from '../../../../../src/engine/native/llama/library/library.ts';
import {
  DEVICE_TYPE,
  declareStructs,
  FLASH_ATTENTION,
  GGML_TYPE,
  POOLING,
  SPLIT_MODE,
  STRUCTS,
  TOKEN_ATTRIBUTE,
} from '../../../../../src/engine/native/llama/library/structs.ts';
import { MEDIA_FUNCTIONS } from '../../../../../src/engine/native/llama/media/functions.ts';
import { CHUNK_TYPE, MEDIA_STRUCTS } from '../../../../../src/engine/native/llama/media/structs.ts';

// llama.cpp's headers travel in node-llama-cpp's git bundle. What Paddock declares is compared with them here: names, order, types,
// values, and where there is a compiler also sizes and offsets.

const ROOT = join(import.meta.dirname, '../../../../..');
const BUNDLE = join(ROOT, 'node_modules/node-llama-cpp/llama/gitRelease.bundle');
const HEADERS = [
  ...['include/llama.h', 'ggml/include/ggml.h', 'ggml/include/ggml-backend.h', 'ggml/include/ggml-cpu.h'],
  ...['tools/mtmd/mtmd.h', 'tools/mtmd/mtmd-helper.h'],
];
const ALL_FUNCTIONS = { ...FUNCTIONS, ...MEDIA_FUNCTIONS };
const ALL_STRUCTS = { ...STRUCTS, ...MEDIA_STRUCTS };
const hasCompiler = spawnSync('cc', ['--version']).status === 0;

let folder: string;
/** All headers in one text, without comments. */
let headers: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paddock-abi-'));
  const repository = join(folder, 'bundle.git');
  execFileSync('git', ['clone', '--quiet', '--bare', BUNDLE, repository]);
  const files = ['--work-tree', folder, 'checkout', 'HEAD', '--', 'include', 'ggml/include', 'tools/mtmd'];
  execFileSync('git', ['--git-dir', repository, ...files]);
  headers = HEADERS.map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\/\/.*/g, '');
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names that C gives to the same types. */
const ALIASES: Record<string, string> = {
  int: 'int32_t',
  llama_token: 'int32_t',
  llama_pos: 'int32_t',
  llama_seq_id: 'int32_t',
  llama_state_seq_flags: 'uint32_t',
};

/** Returns a C type as one of the few kinds that the ABI tells apart: all pointers are one kind, and so are enums and `int32_t`. */
function kindOf(type: string): string {
  const plain = type.replaceAll(/\b(?:const|struct|_Inout_)\b/g, ' ').trim();
  if (/\*|callback|\b(?:llama_memory|ggml_threadpool|ggml_backend_\w+)_t\b/.test(plain)) return 'pointer';
  const [name = ''] = plain.replace(/^enum \w+/, 'int32_t').split(/\s+/);
  return ALIASES[name] ?? name;
}

/** Returns the kinds of a prototype: that of the result, and those of the parameters. */
function kindsOf(result: string, parameters: string): string[] {
  const list = parameters.trim() === '' || parameters.trim() === 'void' ? [] : parameters.split(',');
  return [kindOf(result), ...list.map(kindOf)];
}

describe('a function of llama.cpp', () => {
  it.each(Object.entries(ALL_FUNCTIONS))('%s has the prototype of the header', (name, { prototype }) => {
    const ours = /^(.*?)\b\w+\((.*)\)$/.exec(prototype);
    const theirs = new RegExp(
      `(?:LLAMA_API|GGML_API|GGML_BACKEND_API|MTMD_API)([^;{}"]*?)\\b${name}\\s*\\(([^;{}]*)\\)\\s*;`,
    ).exec(headers);
    expect(theirs, 'it is in none of the headers').not.toBeNull();
    expect(kindsOf(ours?.[1] ?? '', ours?.[2] ?? '')).toEqual(kindsOf(theirs?.[1] ?? '', theirs?.[2] ?? ''));
  });
});

describe('a struct of llama.cpp', () => {
  it.each(Object.entries(ALL_STRUCTS))('%s has the fields of the header, in their order', (name, fields) => {
    const body = new RegExp(`struct ${name} \\{(.*?)\\n(?:    )?\\}`, 's').exec(headers)?.[1] ?? '';
    const theirs = body.split(';').flatMap((line) => {
      const field = /^\s*(.*?)(\w+)\s*$/s.exec(line);
      return field ? [[field[2], kindOf(field[1] ?? '')]] : [];
    });
    expect(Object.entries(fields).map(([field, type]) => [field, kindOf(type)])).toEqual(theirs);
  });

  it.skipIf(!hasCompiler).each(Object.entries(ALL_STRUCTS))(
    '%s has the size and the offsets that a compiler gives it',
    (name, fields) => {
      declareStructs();
      const values = [
        `sizeof(struct ${name})`,
        ...Object.keys(fields).map((field) => `offsetof(struct ${name}, ${field})`),
      ];
      const prints = values.map((value) => `printf("%zu ", ${value});`).join('\n');
      const file = join(folder, `${name}.c`);
      writeFileSync(
        file,
        `#include <stdio.h>\n#include <stddef.h>\n#include "llama.h"\n#include "mtmd-helper.h"\nint main(void) {\n${prints}\nreturn 0; }\n`,
      );
      const includes = ['include', 'ggml/include', 'tools/mtmd'].map((place) => `-I${join(folder, place)}`);
      execFileSync('cc', [...includes, file, '-o', `${file}.out`]);
      const compiled = execFileSync(`${file}.out`, { encoding: 'utf8' }).trim().split(' ').map(Number);
      expect([koffi.sizeof(name), ...Object.keys(fields).map((field) => koffi.offsetof(name, field))]).toEqual(
        compiled,
      );
    },
  );
});

describe('a value of an enum of llama.cpp', () => {
  const upper = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
  const named: [string, number][] = [
    ...Object.entries(GGML_TYPE).map(([name, value]): [string, number] => [`GGML_TYPE_${upper(name)}`, value]),
    ...Object.entries(POOLING).map(([name, value]): [string, number] => [`LLAMA_POOLING_TYPE_${upper(name)}`, value]),
    ...Object.entries(FLASH_ATTENTION).map(([name, value]): [string, number] => [
      `LLAMA_FLASH_ATTN_TYPE_${upper(name)}`,
      value,
    ]),
    ...Object.entries(SPLIT_MODE).map(([name, value]): [string, number] => [`LLAMA_SPLIT_MODE_${upper(name)}`, value]),
  ];

  it.each(named)('%s is %i', (name, value) => {
    expect(Number(new RegExp(`\\b${name}\\s*=\\s*(-?\\d+)`).exec(headers)?.[1])).toBe(value);
  });

  it.each(Object.entries(TOKEN_ATTRIBUTE))('the token attribute %s is %i', (name, value) => {
    const shift = new RegExp(`LLAMA_TOKEN_ATTR_${upper(name)}\\s*=\\s*1 << (\\d+)`).exec(headers)?.[1];
    expect(1 << Number(shift)).toBe(value);
  });

  it('of the types of chunks is its place in the list', () => {
    const body = /enum mtmd_input_chunk_type \{(.*?)\}/s.exec(headers)?.[1] ?? '';
    const theirs = [...body.matchAll(/MTMD_INPUT_CHUNK_TYPE_(\w+)/g)].map(([, name]) => name);
    expect(theirs.slice(0, 3)).toEqual(['TEXT', 'IMAGE', 'AUDIO']);
    expect(Object.values(CHUNK_TYPE)).toEqual([0, 1, 2]);
  });

  it('of the types of devices is its place in the list', () => {
    const body = /enum ggml_backend_dev_type \{(.*?)\}/s.exec(headers)?.[1] ?? '';
    const theirs = [...body.matchAll(/GGML_BACKEND_DEVICE_TYPE_(\w+)/g)].map(([, name]) => name);
    expect(theirs.slice(0, 4)).toEqual(['CPU', 'GPU', 'IGPU', 'ACCEL']);
    expect(Object.values(DEVICE_TYPE)).toEqual([0, 1, 2, 3]);
  });
});

describe('the library for this machine', () => {
  const libraries = findBinaries(false).then((found) => bind(found.libraries));

  it('has every function, and the defaults that are expected', async () => {
    checkAbi(await libraries);
  });

  it('is refused with the field that differs, as it would with another layout', async () => {
    const llama = await libraries;
    const moved: Pick<Bindings, 'llama_model_default_params' | 'llama_context_default_params' | 'llama_version'> = {
      ...llama,
      llama_context_default_params: Object.assign(() => ({ ...llama.llama_context_default_params(), n_ubatch: 2048 }), {
        async: llama.llama_context_default_params.async,
      }),
    };
    expect(() => checkAbi(moved)).toThrow(/llama_context_params\.n_ubatch is 2048, not 512$/);
  });
});

it('finds each field that differs', () => {
  expect(findMismatches('s', { a: 1, b: null, c: true }, { a: 1, b: 2n, c: false })).toEqual([
    { field: 's.b', expected: null, actual: 2n },
    { field: 's.c', expected: true, actual: false },
  ]);
});

it('reads the instruction sets of a build', () => {
  expect(readInstructionSets('CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 0 | REPACK = 1 | ')).toEqual([
    'SSE3',
    'AVX2',
    'REPACK',
  ]);
});
