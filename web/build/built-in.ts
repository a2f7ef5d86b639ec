import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { builtInModelsFolder } from '../../src/catalogue/node/built-in.ts';
import { readFileCatalogue } from '../../src/catalogue/node/catalogue.ts';
import type { Log } from '../../src/contract/log.ts';
import type { ModelCard } from '../../src/contract/models/model.ts';
import type { ModelSource } from '../../src/engine/engine.ts';
import { readGgufHeader } from '../../src/gguf/header.ts';
import { withOpenFile } from '../../src/gguf/node/open-file.ts';
import { readSpecialTokens } from '../../src/gguf/special-tokens.ts';
import { SITE_MODELS_FOLDER } from '../../src/site-files.ts';
import type { BrowserModel, StoredFile } from '../protocol.ts';

/**
 * Copies the models that come with Paddock into the site, and writes their descriptions to `built-in.json`. Throws if a
 * model has a fault.
 */
export async function addBuiltInModels(out: string): Promise<void> {
  await mkdir(join(out, SITE_MODELS_FOLDER), { recursive: true });
  const catalogue = await readFileCatalogue([builtInModelsFolder], strictLog);
  const models: BrowserModel[] = [];
  for (const card of catalogue.list()) {
    const source = catalogue.sourceOf(card.id);
    if (source) models.push(await addModel(out, card, source));
  }
  await writeFile(join(out, SITE_MODELS_FOLDER, 'built-in.json'), JSON.stringify(models));
}

async function addModel(out: string, card: ModelCard, source: ModelSource): Promise<BrowserModel> {
  const { kind, shape, chatTemplate, loading } = source;
  const files = await Promise.all(source.files.map((file) => addFile(out, file)));
  const first = { path: source.files[0] ?? '', size: files[0]?.size ?? 0 };
  return {
    card,
    source: {
      files,
      ...(source.projector !== undefined && { projector: await addFile(out, source.projector) }),
      kind,
      shape,
      tokens: await withOpenFile(first, async (bytes) => readSpecialTokens(bytes, await readGgufHeader(bytes))),
      ...(chatTemplate !== undefined && { chatTemplate }),
      ...(typeof loading?.contextLength === 'number' && { contextLength: loading.contextLength }),
      ...(typeof loading?.threads === 'number' && { threads: loading.threads }),
    },
  };
}

async function addFile(out: string, file: string): Promise<StoredFile> {
  const url = `${SITE_MODELS_FOLDER}/${basename(file)}`;
  await copyFile(file, join(out, url));
  return { place: 'shell', url, size: (await stat(file)).size };
}

const ignore = () => {};

/** Throws on every warning: the models that come with Paddock must have none. */
const strictLog: Log = {
  debug: ignore,
  info: ignore,
  warn: fail,
  error: fail,
};

function fail(message: string, fields: Record<string, unknown> = {}): never {
  throw new Error(`${message}: ${JSON.stringify(fields)}`);
}
