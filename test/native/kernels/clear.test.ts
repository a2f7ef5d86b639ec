import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type LlamaContext, openContext } from '../../../src/engine/native/llama/context.ts';
import { sum } from '../../../src/utils/sum.ts';
import { openNativeModel } from '../../kit/native-model.ts';
import { UNTESTED_BECAUSE } from './library.ts';

const MIB = 2 ** 20;
/** The caches of pico for 16 sequences of 2,048 tokens have 160 MiB in one buffer. */
const SEQUENCES = 16;
const LENGTH = 2048;
const LEAST_BYTES = 150 * MIB;
const TOKENS = 256;

const pico = fileURLToPath(new URL('../../../models/pico/pico.gguf', import.meta.url));

/** Returns the bytes that are in memory of the process's large mappings without a file. */
function largeMappings(): number[] {
  return readFileSync('/proc/self/smaps', 'utf8')
    .split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
    .flatMap((text) => {
      const sizeOf = (name: string) => 1024 * Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1]);
      const hasFile = /^\S+ \S+ \S+ \S+ \d+ +\S/.test(text);
      return !hasFile && sizeOf('Size') >= LEAST_BYTES ? [sizeOf('Rss')] : [];
    });
}

async function evaluate(context: LlamaContext, sequence: number): Promise<Float32Array> {
  const tokens = Array.from({ length: TOKENS }, (_, index) => 10 + ((index * 7) % 300));
  const [places = []] = await context.decode([{ sequence, at: 0, tokens, logitsAt: [TOKENS - 1] }]);
  return Float32Array.from(context.logitsAt(places[0] ?? -1));
}

describe.skipIf(UNTESTED_BECAUSE)(`new caches${UNTESTED_BECAUSE ? ` (${UNTESTED_BECAUSE})` : ''}`, () => {
  it('take memory for the tokens that are in them, and hold no earlier ones', async () => {
    const model = await openNativeModel(pico);
    const before = sum(largeMappings());
    const logits: Float32Array[] = [];
    for (let round = 0; round < 2; round++) {
      const context = await openContext(model, {
        contextLength: LENGTH,
        sequences: SEQUENCES,
        batchSize: TOKENS,
        outputs: SEQUENCES,
        threads: 1,
      });
      if (!context) throw new Error('there is no context');
      const opened = sum(largeMappings()) - before;
      // The first pass takes memory for its intermediate results as well, in mappings that the system may join with the cache's.
      await evaluate(context, 0);
      const warm = sum(largeMappings());
      logits.push(await evaluate(context, 3));
      const used = sum(largeMappings()) - warm;
      expect(opened).toBeLessThan(MIB);
      expect(used).toBeGreaterThanOrEqual(context.stateBytes(3) / 2);
      expect(used).toBeLessThan(2 * context.stateBytes(3) + MIB);
      await context[Symbol.asyncDispose]();
    }
    expect(logits[1]).toEqual(logits[0]);
    await model.close();
  });
});
