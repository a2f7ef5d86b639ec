import { describe, expect, it } from 'vitest';
import { binariesPackage, chooseLibraries } from '../../../../../src/engine/native/llama/library/binaries.ts';

describe('the package with the binaries', () => {
  it.each<[NodeJS.Platform, string, 'cuda' | 'vulkan' | 'metal' | false, string | null]>([
    ['linux', 'x64', false, '@node-llama-cpp/linux-x64'],
    ['linux', 'x64', 'cuda', '@node-llama-cpp/linux-x64-cuda'],
    ['linux', 'x64', 'vulkan', '@node-llama-cpp/linux-x64-vulkan'],
    ['linux', 'arm64', false, '@node-llama-cpp/linux-arm64'],
    ['linux', 'arm', false, '@node-llama-cpp/linux-armv7l'],
    ['darwin', 'arm64', 'metal', '@node-llama-cpp/mac-arm64-metal'],
    ['darwin', 'arm64', false, '@node-llama-cpp/mac-arm64-metal'],
    ['darwin', 'x64', false, '@node-llama-cpp/mac-x64'],
    ['win32', 'x64', 'cuda', '@node-llama-cpp/win-x64-cuda'],
    ['win32', 'arm64', false, '@node-llama-cpp/win-arm64'],
    ['freebsd', 'x64', false, null],
  ])('for %s on %s with GPU %s is %s', (platform, arch, gpu, name) => {
    expect(binariesPackage({ platform, arch }, gpu)).toBe(name);
  });
});

describe("llama.cpp's libraries", () => {
  it.each<[string, string[], string[]]>([
    [
      'Linux',
      [
        'libggml-cpu-zen4.so',
        'libllama.v0.5.0.so',
        'libggml-base.so',
        'libllama-common.so',
        'libggml.v0.5.0.so',
        'llama-addon.node',
      ],
      ['libggml-base.so', 'libggml.v0.5.0.so', 'libllama.v0.5.0.so'],
    ],
    [
      'Linux with CUDA',
      ['libggml-cuda.so', 'libggml.cuda.v0.5.0.so', 'libggml-base.so', 'libllama.cuda.v0.5.0.so'],
      ['libggml-base.so', 'libggml.cuda.v0.5.0.so', 'libllama.cuda.v0.5.0.so'],
    ],
    [
      'a Mac',
      ['libggml-base.dylib', 'libggml.dylib', 'libggml-metal.dylib', 'libllama.dylib'],
      ['libggml-base.dylib', 'libggml.dylib', 'libllama.dylib'],
    ],
    [
      'Windows',
      ['ggml-base.dll', 'ggml-cpu-x64.dll', 'ggml.dll', 'llama.dll'],
      ['ggml-base.dll', 'ggml.dll', 'llama.dll'],
    ],
  ])('on %s are opened in the order of their dependencies', (_, files, chosen) => {
    expect(chooseLibraries(files)).toEqual(chosen);
  });

  it('are missed by their name', () => {
    expect(() => chooseLibraries(['libggml-base.so', 'libggml.so'])).toThrow(/no library llama /);
  });
});
