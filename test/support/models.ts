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
     * A folder with models: `tiny`, which never ends its turn by itself; `shelf/brief`, which ends it soon;
     * `embed/mini`, which makes vectors of 64 dimensions, and `rerank/mini`, which ranks, both with a window of 512
     * tokens; `tiny/vision/eye` and `tiny/audio/ear`, which are `tiny` with a projector for images and for recordings.
     */
    modelsFolder: string;
  }
}

/** Makes the models of the tests, once for the whole run. Fails the run if a test changes them. */
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
    // Vitest prints an error of the teardown, but does not fail the run.
    process.exitCode = 1;
    throw new Error(CHANGED);
  };
}

const CHANGED =
  'A test has changed the models that all tests share, by a link to one perhaps. A server that runs one loads it anew then, and what it ' +
  'kept of its prompts is of no use. Tests that need files of their own copy them.';

/** Returns a text that changes if the file is written, linked, moved or removed. */
async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(file).catch(() => ({ ino: 0, size: 0, mtimeMs: 0, ctimeMs: 0 }));
  return [ino, size, mtimeMs, ctimeMs].join(':');
}
