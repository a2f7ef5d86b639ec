import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writeEmbeddingModel, writeRerankModel } from '../kit/models/embedding-model.ts';
import { writeTinyModel } from '../kit/models/tiny-model.ts';
import { writeAudioProjector, writeVisionProjector } from '../kit/models/tiny-projector.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * A folder with models: `tiny`, which never ends its turn by itself, `shelf/brief`, which soon does, `embed/mini`,
     * which makes vectors of 64 dimensions, and `rerank/mini`, which ranks. These two read 512 tokens. Then `tiny/vision/eye`
     * and `tiny/audio/ear`, which are `tiny` with a projector for images and one for recordings.
     */
    modelsFolder: string;
  }
}

/** Makes the models that the tests run, once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-models-'));
  for (const inner of ['shelf', 'embed', 'rerank', 'tiny/vision', 'tiny/audio'])
    await mkdir(join(folder, inner), { recursive: true });
  writeTinyModel(join(folder, 'tiny.gguf'));
  writeTinyModel(join(folder, 'shelf', 'brief.gguf'), { seed: 2, endBias: 3 });
  writeEmbeddingModel(join(folder, 'embed', 'mini.gguf'));
  writeRerankModel(join(folder, 'rerank', 'mini.gguf'));
  writeTinyModel(join(folder, 'tiny', 'vision', 'eye.gguf'));
  writeVisionProjector(join(folder, 'tiny', 'vision', 'mmproj-eye.gguf'));
  writeTinyModel(join(folder, 'tiny', 'audio', 'ear.gguf'));
  writeAudioProjector(join(folder, 'tiny', 'audio', 'mmproj-ear.gguf'));
  project.provide('modelsFolder', folder);
  const models = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.gguf'));
  const stamps = () => Promise.all(models.map((name) => stampOf(join(folder, name)))).then(String);
  const before = await stamps();
  return async () => {
    const after = await stamps();
    await rm(folder, { recursive: true });
    if (after === before) return;
    // Vitest only prints what goes wrong at its end.
    process.exitCode = 1;
    throw new Error(CHANGED);
  };
}

const CHANGED =
  'A test has changed the models that all tests share, by a link to one perhaps. A server that runs one loads it anew then, and what it ' +
  'kept of its prompts is of no use. Tests that need files of their own copy them.';

/** A text that differs once a file has been written, linked, moved or taken away. */
async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(file).catch(() => ({ ino: 0, size: 0, mtimeMs: 0, ctimeMs: 0 }));
  return [ino, size, mtimeMs, ctimeMs].join(':');
}
