// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSources } from '../../../native/hash-sources.js';
import { repeats } from '../../support/repeats.ts';
import { buildProbe, buildSanitizedProbe, hasCompiler, runProbe } from './compiler.ts';
import { PREBUILT, ROOT, UNTESTED_BECAUSE } from './library.ts';

const IS_LONG = repeats(0, 1) === 1;
const hasObjdump = spawnSync('objdump', ['--version']).status === 0;
const hasQemu = spawnSync('qemu-x86_64', ['--version']).status === 0;

describe('the library of kernels', () => {
  it('is the one whose checksum lies beside it, built from the sources as they are', () => {
    const [[library = ''] = [], [sources = ''] = []] = readFileSync(`${PREBUILT}.sha256`, 'utf8')
      .split('\n')
      .map((line) => line.split(' '));
    expect(createHash('sha256').update(readFileSync(PREBUILT)).digest('hex')).toBe(library);
    expect(hashSources(), 'run `npm run build:native`').toBe(sources);
  });

  it('is small', () => {
    expect(statSync(PREBUILT).size).toBeLessThan(400_000);
  });

  it.skipIf(!hasObjdump)(
    `needs glibc 2.3 alone, and exports what ggml asks for${hasObjdump ? '' : ' (no objdump)'}`,
    () => {
      const symbols = execFileSync('objdump', ['-T', PREBUILT], { encoding: 'utf8' });
      expect(new Set(symbols.match(/GLIBC\w*_[\d.]+/g))).toEqual(new Set(['GLIBC_2.2.5', 'GLIBC_2.3']));
      const exported = symbols.split('\n').flatMap((line) => / g .*Base\s+(\w+)$/.exec(line)?.[1] ?? []);
      expect(exported.sort()).toEqual([
        'ggml_backend_buffer_clear',
        'ggml_compute_forward_fill',
        'ggml_compute_forward_flash_attn_ext',
        'ggml_compute_forward_mul_mat_id_iqp',
        'ggml_cpu_iqp_mul_mat_id_min_batch',
        'ggml_cpu_iqp_scratch_size',
        'ggml_cpu_iqp_supports_mul_mat_id',
        'llamafile_sgemm',
        'paddock_kernels_attentions',
        'paddock_kernels_describe',
        'paddock_kernels_highest',
        'paddock_kernels_keep_order',
        'paddock_kernels_limit',
        'paddock_kernels_products',
        'paddock_kernels_search',
        'paddock_kernels_select',
        'paddock_pages_end',
        'paddock_pages_move',
        'paddock_pages_moved',
      ]);
      const needed = execFileSync('objdump', ['-p', PREBUILT], { encoding: 'utf8' }).match(/(?<=NEEDED\s+)\S+/g);
      expect(needed).toEqual(['libc.so.6', 'ld-linux-x86-64.so.2']);
    },
  );
});

const UNPROBED_BECAUSE = UNTESTED_BECAUSE ?? (hasCompiler ? null : 'there is no g++');

describe.skipIf(UNPROBED_BECAUSE)(
  `the kernels in a process of C++${UNPROBED_BECAUSE ? ` (${UNPROBED_BECAUSE})` : ''}`,
  () => {
    let folder = '';
    let probe = '';
    let results: string[] = [];

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'paddock-kernels-'));
      probe = join(folder, 'probe');
      buildProbe(PREBUILT, probe);
      results = runProbe(probe, 'env', `LD_LIBRARY_PATH=${join(PREBUILT, '..')}`);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const under = (processor: string) =>
      runProbe(probe, 'qemu-x86_64', '-cpu', processor, '-E', `LD_LIBRARY_PATH=${join(PREBUILT, '..')}`);
    const resultsOf = (set: string) => results.filter((line) => line.startsWith(`${set} `));

    it('give the same bits with every instruction set', () => {
      const sets = new Set(results.map((line) => line.split(' ')[0] ?? ''));
      const bits = [...sets].map((set) => resultsOf(set).map((line) => line.slice(set.length)));
      expect(new Set(bits.map((lines) => lines.join())).size).toBeLessThanOrEqual(1);
    });

    const unemulated = hasQemu ? '' : ' (no qemu-user)';
    it.skipIf(!hasQemu)(`use AVX2 on a processor that has no more${unemulated}`, () => {
      // The emulator ends the process at an instruction that its processor lacks.
      expect(under('Haswell')).toEqual(resultsOf('AVX2'));
    });

    it.skipIf(!hasQemu)(`leave everything to ggml on a processor without AVX2${unemulated}`, () => {
      expect(under('Nehalem')).toEqual([]);
      expect(under('SandyBridge')).toEqual([]);
    });

    const onlyLong = IS_LONG ? '' : ' (in npm run test:long)';
    it.skipIf(!IS_LONG)(
      `give the same bits when they are built anew${onlyLong}`,
      () => {
        const library = join(folder, 'libpaddock-kernels.so');
        execFileSync(process.execPath, [join(ROOT, 'native/build.js'), library]);
        expect(runProbe(probe, 'env', `LD_LIBRARY_PATH=${folder}`)).toEqual(results);
      },
      300_000,
    );

    it.skipIf(!IS_LONG)(
      `read and write nothing but the matrices, and do nothing undefined${onlyLong}`,
      () => {
        // The sanitizers end the process at the first mistake.
        expect(runProbe(buildSanitizedProbe(folder))).toEqual(results);
      },
      300_000,
    );
  },
);
