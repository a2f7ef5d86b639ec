import { describe, expect, it } from 'vitest';
import { reasonIn } from '../../../src/pool/process/last-words.ts';

const FRAMES = [
  '/opt/node_modules/bins/linux-x64-cuda/libggml-base.so(+0x19d16)[0x7f4e8cb4ad16]',
  '/opt/node_modules/bins/linux-x64-cuda/libggml-cuda.so(_Z27ggml_cuda_op_rms_normR25ggml+0x1ca)[0x7f4e47265f1a]',
  '/usr/local/bin/node[0x18a7b40]',
  '/lib/x86_64-linux-gnu/libc.so.6(+0x129ecc)[0x7f4e8fd29ecc]',
];

describe('the reason why a process died', () => {
  it('is the error of its driver, not the stack that follows', () => {
    const words = [
      '/build/ggml-cuda/ggml-cuda.cu:108: CUDA error',
      '0.02.088.518 E CUDA error: the provided PTX was compiled with an unsupported toolchain.',
      '0.02.088.531 E   current device: 0, in function ggml_cuda_op at /build/common.cuh:1679',
      ...FRAMES,
    ].join('\n');
    expect(reasonIn(words)).toBe('CUDA error: the provided PTX was compiled with an unsupported toolchain.');
  });

  it('is the error alone where nothing more is told of it', () => {
    const words = ['/build/ggml/ggml-cuda.cu:108: CUDA error', ...FRAMES].join('\n');
    expect(reasonIn(words)).toBe('ggml-cuda.cu:108: CUDA error');
  });

  it('is an assertion that failed', () => {
    const words = ['loading', '/build/ggml.c:42: GGML_ASSERT(n > 0) failed', ...FRAMES].join('\n');
    expect(reasonIn(words)).toBe('GGML_ASSERT(n > 0) failed');
  });

  it('is all else that it said, and nothing if it said nothing', () => {
    expect(reasonIn('Killed\n')).toBe('Killed');
    expect(reasonIn(FRAMES.join('\n'))).toBe('');
    expect(reasonIn('')).toBe('');
  });
});
