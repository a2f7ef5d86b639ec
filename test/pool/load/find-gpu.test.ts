// @module-tag slow
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFindGpu } from '../../../src/pool/load/find-gpu.ts';

let folder: string;
let asked: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-gpu-'));
  asked = join(folder, 'asked');
});
afterEach(() => rm(folder, { recursive: true }));

const CUDA = { runtime: 'cuda', names: ['A card'], memory: { total: 8e9, free: 7e9 } };
const VULKAN = { ...CUDA, runtime: 'vulkan' };

/** A search whose process does this; `asked` has a line for each process, with what it was asked. */
async function searchWith(source: string) {
  const file = join(folder, 'find-gpu.cjs');
  const head = `const { without, modelPath } = JSON.parse(process.argv[2]);
const say = (line) => require('node:fs').writeSync(1, JSON.stringify(line) + '\\n');
require('node:fs').appendFileSync(${JSON.stringify(asked)}, JSON.stringify({ without, tries: modelPath !== null }) + '\\n');
const cuda = ${JSON.stringify(CUDA)}, vulkan = ${JSON.stringify(VULKAN)};\n`;
  await writeFile(file, head + source);
  return createFindGpu(file, () => null);
}

const askedFor = async () =>
  (await readFile(asked, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** What CUDA says on stdout and on stderr. */
const CRASH = `console.log('CUDA error: the provided PTX was compiled with an unsupported toolchain.');
console.error('/build/ggml-cuda.cu:108: CUDA error'); process.abort();`;
const WHY =
  'it crashed with SIGABRT: CUDA error: the provided PTX was compiled with an unsupported toolchain. ' +
  "NVIDIA's driver is too old for it: a newer one helps.";

describe('the search for a GPU', () => {
  it('finds one that computes', async () => {
    const findGpu = await searchWith('say({ gpu: cuda }); say({ computes: true });');
    expect(await findGpu()).toEqual({ gpu: CUDA, passedOver: [] });
    expect(await askedFor()).toEqual([{ without: [], tries: true }]);
  });

  it('takes the next runtime where one crashes as it computes, and says why', async () => {
    const findGpu = await searchWith(
      `if (without.includes('cuda')) { say({ gpu: vulkan }); say({ computes: true }); } else { say({ gpu: cuda }); ${CRASH} }`,
    );
    expect(await findGpu()).toEqual({ gpu: VULKAN, passedOver: [`cuda: ${WHY}`] });
  });

  it('starts no process where there can be none', async () => {
    expect(await createFindGpu(join(folder, 'missing.cjs'), () => 'no GPU has a device file')()).toEqual({
      gpu: null,
      passedOver: ['no GPU has a device file'],
    });
  });

  it('keeps in mind what it learned: a later one only measures the memory', async () => {
    const findGpu = await searchWith(
      `if (without.includes('cuda')) { say({ gpu: vulkan }); say({ computes: true }); } else { say({ gpu: cuda }); ${CRASH} }`,
    );
    const first = await findGpu();
    expect(await findGpu()).toEqual(first);
    expect(await askedFor()).toEqual([
      { without: [], tries: true },
      { without: ['cuda'], tries: true },
      { without: ['cuda'], tries: false },
    ]);
  });

  it('tries one again whose memory was full', async () => {
    const findGpu = await searchWith(
      `const again = require('node:fs').readFileSync(${JSON.stringify(asked)}, 'utf8').split('\\n').length > 3;
if (without.includes('cuda')) say({ failed: 'no GPU was found' });
else { say({ gpu: cuda }); say(again ? { computes: true } : { failed: 'there is too little memory' }); }`,
    );
    const passedOver = ['cuda: there is too little memory', 'no GPU was found'];
    expect(await findGpu()).toEqual({ gpu: null, passedOver });
    expect(await findGpu()).toEqual({ gpu: CUDA, passedOver: [] });
  });

  it('looks once for two loads that come together', async () => {
    const findGpu = await searchWith(
      `if (without.includes('cuda')) { say({ failed: 'no GPU was found' }); } else { say({ gpu: cuda }); ${CRASH} }`,
    );
    const [first, second] = await Promise.all([findGpu(), findGpu()]);
    expect(second).toEqual(first);
    expect(await askedFor()).toHaveLength(2);
  });

  it('finds none where none computes, and does not look again', async () => {
    const findGpu = await searchWith(
      `if (without.includes('cuda')) { say({ failed: 'no GPU was found' }); } else { say({ gpu: cuda }); ${CRASH} }`,
    );
    const { gpu, passedOver } = await findGpu();
    expect(gpu).toBe(null);
    expect(passedOver).toEqual([`cuda: ${WHY}`, 'no GPU was found']);
    await findGpu();
    expect(await askedFor()).toHaveLength(2);
  });

  it('looks no further where the last runtime has no device', async () => {
    const findGpu = await searchWith(`say({ gpu: vulkan }); say({ failed: 'it offers no device' });`);
    expect(await findGpu()).toEqual({ gpu: null, passedOver: ['vulkan: it offers no device'] });
    expect(await askedFor()).toHaveLength(1);
  });

  it('says of a process that ended without a word just that', async () => {
    const findGpu = await searchWith('');
    expect(await findGpu()).toEqual({ gpu: null, passedOver: ['it ended without a word'] });
  });
});
