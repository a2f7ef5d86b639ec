import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whyNoGpu } from '../../../src/pool/load/gpu-devices.ts';

const linux = { platform: 'linux' as const, env: {} };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-dev-'));
  for (const name of ['null', 'tty0', 'vda', 'kvm', 'random', 'fb0']) await writeFile(join(folder, name), '');
});
afterEach(() => rm(folder, { recursive: true }));

describe('the device files of a machine', () => {
  it('tell that there is no GPU', () => {
    expect(whyNoGpu(linux, folder)).toBe(`no GPU has a device file in ${folder}`);
  });

  it.each(['nvidia0', 'nvidiactl', 'nvhost-gpu', 'dxg', 'kfd', 'mali0', 'kgsl-3d0'])(
    'leave open what %s is',
    async (name) => {
      await writeFile(join(folder, name), '');
      expect(whyNoGpu(linux, folder)).toBeNull();
    },
  );

  it('leave open what lies in the folder of the direct rendering manager', async () => {
    await mkdir(join(folder, 'dri'));
    expect(whyNoGpu(linux, folder)).toBeNull();
  });

  it('say nothing on other systems, where they are missing, or where a device of llama.cpp is chosen by its number', () => {
    expect(whyNoGpu({ ...linux, platform: 'darwin' }, folder)).toBeNull();
    expect(whyNoGpu(linux, join(folder, 'missing'))).toBeNull();
    expect(whyNoGpu({ ...linux, env: { GGML_VK_VISIBLE_DEVICES: '0' } }, folder)).toBeNull();
  });
});
