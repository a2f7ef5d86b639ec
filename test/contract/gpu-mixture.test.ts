import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { probeGpus } from '../../src/cli/doctor/backends.ts';
import { createFindGpu } from '../../src/pool/load/find-gpu.ts';
import { writeExactMixture } from '../kit/models/exact-mixture.ts';
import { startServer } from '../kit/servers/server.ts';

/** Each shader is compiled at its first use, on a processor that also computes them. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

// As in gpu.test.ts: Mesa's processor counts as a GPU here.
vi.stubEnv('GGML_VK_VISIBLE_DEVICES', process.env.GGML_VK_VISIBLE_DEVICES ?? '0');
vi.stubEnv('GGML_VK_DISABLE_F16', '1');
afterAll(() => {
  vi.unstubAllEnvs();
});

const { ok, detail } = await probeGpus(createFindGpu('dist/programs/find-gpu.js'));
const EXPERTS = ['gate', 'down', 'up'].map((part) => `ffn_${part}_exps.weight`);

/** Returns the text that a server with these flags writes, and its log. */
async function replyWith(folder: string, flags: string[]): Promise<{ text: string; log: string }> {
  const args = ['--models', folder, '--threads', '1', '--slots', '2', '--ctx-len', '512', '--log-level', 'debug'];
  const { url, log, stop } = await startServer([...args, ...flags]);
  try {
    const body = JSON.stringify({ model: 'mixture', prompt: 'hello '.repeat(50), max_tokens: 40, temperature: 0 });
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${url}/v1/completions`, { method: 'POST', body, headers });
    const { choices } = (await reply.json()) as { choices?: { text: string }[] };
    return { text: choices?.[0]?.text ?? `no text: ${reply.status}`, log: log() };
  } finally {
    await stop();
  }
}

describe.skipIf(!ok)(`a mixture of experts on ${detail}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mixture-'));
  let onCpu = '';
  beforeAll(async () => {
    writeExactMixture(join(folder, 'mixture.gguf'));
    onCpu = (await replyWith(folder, ['--backend', 'cpu'])).text;
  });

  it('writes what it writes on the CPU with the experts of some layers in the memory of the machine', async () => {
    const { text, log } = await replyWith(folder, ['--backend', 'gpu', '--n-cpu-moe', '1']);
    expect(text).toBe(onCpu);
    expect(log).toContain('"gpuLayers":3,"cpuExperts":1,');
    for (const part of EXPERTS) expect(log).toContain(`blk.0.${part}`);
    for (const part of EXPERTS) expect(log).not.toContain(`blk.1.${part}`);
  });

  it('writes the same with all experts there', async () => {
    const { text, log } = await replyWith(folder, ['--backend', 'gpu', '--cpu-moe']);
    expect(text).toBe(onCpu);
    for (const part of EXPERTS) expect(log).toContain(`blk.1.${part}`);
  });
});
