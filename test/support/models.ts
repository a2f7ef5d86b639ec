import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writeEmbeddingModel, writeRerankModel } from '../fixtures/embedding-model.ts';
import { writeTinyModel } from '../fixtures/tiny-model.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * A folder with models: `tiny`, which never ends its turn by itself, `shelf/brief`, which soon does, `embed/mini`,
     * which makes vectors of 64 dimensions, and `rerank/mini`, which ranks. The last two read 512 tokens.
     */
    modelsFolder: string;
  }
}

/** Makes the models that the tests run, once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-models-'));
  for (const inner of ['shelf', 'embed', 'rerank']) await mkdir(join(folder, inner));
  writeTinyModel(join(folder, 'tiny.gguf'));
  writeTinyModel(join(folder, 'shelf', 'brief.gguf'), { seed: 2, endBias: 3 });
  writeEmbeddingModel(join(folder, 'embed', 'mini.gguf'));
  writeRerankModel(join(folder, 'rerank', 'mini.gguf'));
  project.provide('modelsFolder', folder);
  return () => rm(folder, { recursive: true });
}
