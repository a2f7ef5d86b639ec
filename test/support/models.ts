import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writeTinyModel } from '../fixtures/tiny-model.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with two models: `tiny`, which never ends its turn by itself, and `shelf/brief`, which soon does. */
    modelsFolder: string;
  }
}

/** Makes the models that the tests run, once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-models-'));
  await mkdir(join(folder, 'shelf'));
  writeTinyModel(join(folder, 'tiny.gguf'));
  writeTinyModel(join(folder, 'shelf', 'brief.gguf'), { seed: 2, endBias: 3 });
  project.provide('modelsFolder', folder);
  return () => rm(folder, { recursive: true });
}
