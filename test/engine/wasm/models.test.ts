import { copyFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { chat } from '../../kit/generation.ts';
import { only, request, type ThreadError, textOf, WasmThread } from './wasm-thread.ts';

let folder: string;
let tiny: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-wasm-'));
  tiny = join(inject('modelsFolder'), 'tiny.gguf');
});

afterAll(() => rm(folder, { recursive: true }));

async function withThread<T>(
  options: Parameters<typeof WasmThread.start>[0],
  use: (thread: WasmThread) => Promise<T>,
): Promise<T> {
  const thread = await WasmThread.start(options);
  try {
    return await use(thread);
  } finally {
    await thread.stop();
  }
}

/** Replaces the chat template in a model's file. The new one must not be longer than the old. */
function withTemplate(model: Buffer, template: string): Buffer {
  const key = 'tokenizer.chat_template';
  const length = model.indexOf(key) + key.length + 4;
  const size = Number(model.readBigUInt64LE(length));
  // A comment fills the rest of the old template's place.
  model.write('#}'.padStart(size - template.length - 2), length + 8 + template.length + 2);
  model.write(`${template}{#`, length + 8);
  return model;
}

async function failure(files: string[]): Promise<ThreadError> {
  return withThread({ files }, async () => {
    throw new Error('it loaded');
  }).catch((error: ThreadError) => error);
}

describe('threads and context', () => {
  let single: WasmThread;
  let double: WasmThread;

  beforeAll(async () => {
    single = await WasmThread.start({ files: [tiny], threads: 1, contextLength: null });
    double = await WasmThread.start({ files: [tiny], threads: 2, contextLength: 300 });
  });

  afterAll(() => Promise.all([single.stop(), double.stop()]));

  it('replies the same with one thread and with two', async () => {
    expect([single.info.threads, double.info.threads]).toEqual([1, 2]);
    const story = request('Tell me a story about a fox', { maxTokens: 40 });
    expect(textOf(await double.run(story))).toBe(textOf(await single.run(story)));
  });

  it('replies the same with floats in the KV cache as with half floats', async () => {
    const story = request('Tell me a story about a fox '.repeat(8), { maxTokens: 40 });
    const floats = { files: [tiny], contextLength: null, floatCache: true };
    await withThread(floats, async (wide) =>
      expect(textOf(await wide.run(story))).toBe(textOf(await single.run(story))),
    );
  });

  it('computes a small model with one thread where nobody asks for more', async () => {
    await withThread({ files: [tiny], threads: null }, async ({ info }) => expect(info.threads).toBe(1));
  });

  it('has the trained context window by default', () => {
    expect(single.info).toMatchObject({ contextLength: 1024, trainedContextLength: 1024 });
  });

  it('reports the context window as llama.cpp rounds it', async () => {
    expect(double.info.contextLength).toBe(512);
    expect(only(await double.run(request('fox '.repeat(600))), 'overflow').contextLength).toBe(512);
  });
});

describe('a model', () => {
  it('that ends its turn finishes with stop', async () => {
    const files = [join(inject('modelsFolder'), 'shelf', 'brief.gguf')];
    await withThread({ files }, async (thread) => {
      expect(only(await thread.run(request('hi', { maxTokens: null })), 'finish').reason).toBe('stop');
    });
  });

  it("whose chat template refuses the messages makes it the caller's mistake", async () => {
    const file = join(folder, 'strict.gguf');
    const template = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}{{ magic }}";
    await writeFile(file, withTemplate(await readFile(tiny), template));
    await withThread({ files: [file] }, async (thread) => {
      const prompt = chat([{ role: 'system', content: 'hi' }]);
      const refused = thread.generate(request('', { prompt }));
      expect(await refused.ended).toMatchObject({
        message: expect.stringMatching(/no system/),
        data: { status: 400, param: 'messages' },
      });
      const tokens = async (templateKwargs: Record<string, unknown>) => {
        const kwargs = chat([{ role: 'user', content: 'hi' }], { templateKwargs });
        return only(await thread.run(request('', { prompt: kwargs })), 'done').promptTokens;
      };
      expect(await tokens({ magic: 'abcdefgh' })).toBeGreaterThan(await tokens({ magic: 'a' }));
    });
  });
});

describe('loading fails with a clear error', () => {
  it('of a file that is not a model', async () => {
    const file = join(folder, 'garbage.gguf');
    await writeFile(file, 'no model at all '.repeat(1000));
    expect((await failure([file])).message).toMatch(/no GGUF/);
  });

  it('of half a file', async () => {
    const file = join(folder, 'half.gguf');
    await writeFile(file, (await readFile(tiny)).subarray(0, 200_000));
    expect((await failure([file])).message).toMatch(/incomplete/);
  });

  it('of a missing file', async () => {
    expect((await failure([join(folder, 'none.gguf')])).message).toMatch(/none\.gguf can't be opened/);
  });

  it('of more weights than WebAssembly can hold', async () => {
    const file = join(folder, 'huge.gguf');
    await copyFile(tiny, file);
    const handle = await open(file, 'r+');
    await handle.truncate(4000 * 2 ** 20);
    await handle.close();
    expect((await failure([file])).message).toMatch(/4\.2 GB, but WebAssembly memory ends at 4\.3 GB/);
  });
});

describe('the end of an engine', () => {
  it('by the death of its worker rejects the generation and all later ones', async () => {
    await withThread({ files: [tiny] }, async (thread) => {
      const generation = thread.generate(request('hi', { maxTokens: null }));
      await generation.reached('text');
      thread.killInner();
      expect(await generation.ended).toMatchObject({ name: 'WasmCrashed' });
      expect(await thread.generate(request('hi')).ended).toMatchObject({ name: 'WasmCrashed' });
    });
  });

  it('by disposal ends the generation too', async () => {
    await withThread({ files: [tiny] }, async (thread) => {
      const generation = thread.generate(request('hi', { maxTokens: null }));
      await generation.reached('text');
      thread.dispose();
      expect(await generation.ended).toMatchObject({ message: 'The engine is disposed.' });
    });
  });
});
