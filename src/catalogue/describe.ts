import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { GGMLFileQuantizationType, gguf } from '@huggingface/gguf';
import type { ModelCard } from '../core/model.ts';
import type { ModelShape, ModelSource } from '../engine/engine.ts';

/** A model found on disk: what it says of itself, the files that make it up, in order, and what it is for. */
export interface ModelEntry {
  card: ModelCard;
  source: ModelSource;
}

/** llama.cpp's `LLAMA_POOLING_TYPE_RANK`; the types from 1 to 3 make one vector of a text's tokens. */
const POOLING_RANK = 4;

/** Reads a model's card from the header of its GGUF. Throws when the file is not a GGUF that can be read. */
export async function describeModel(id: string, files: string[]): Promise<ModelEntry> {
  const [first] = files;
  if (!first) throw new Error('a model needs at least one file');
  const { metadata, parameterCount } = await gguf(first, { allowLocalFile: true, computeParametersCount: true });
  const fields = metadata as unknown as Record<string, unknown>;
  const architecture = text(fields['general.architecture']);
  if (!architecture) throw new Error('the GGUF names no architecture');
  const stats = await Promise.all(files.map((file) => stat(file)));
  const template = text(fields['tokenizer.chat_template']);
  const pooling = number(fields[`${architecture}.pooling_type`]) ?? 0;
  const kind = pooling === POOLING_RANK ? 'rerank' : pooling > 0 ? 'embedding' : 'chat';

  const size = stats.reduce((sum, { size }) => sum + size, 0);

  return {
    source: { files, kind, shape: readShape(architecture, fields, size) },
    card: {
      id,
      created: Math.floor(Math.min(...stats.map(({ mtimeMs }) => mtimeMs)) / 1000),
      owned_by: text(fields['general.organization']) ?? text(fields['general.author']) ?? 'local',
      name: text(fields['general.name']) ?? id,
      version: text(fields['general.version']) ?? '1',
      format: 'gguf',
      description: text(fields['general.description']) ?? '',
      sources: files.map((file) => ({ filename: basename(file), url: text(fields['general.source.url']) ?? '' })),
      settings: {
        embedding: kind === 'embedding',
        ...(template !== undefined && { prompt_template: template }),
      },
      parameters: {},
      metadata: {
        author: text(fields['general.author']) ?? '',
        tags: [architecture, ...quantization(number(fields['general.file_type'])), ...strings(fields['general.tags'])],
        size,
        cover: '',
      },
      trainedContextLength: number(fields[`${architecture}.context_length`]) ?? 0,
      parameterCount,
    },
  };
}

function readShape(architecture: string, fields: Record<string, unknown>, fileBytes: number): ModelShape {
  const figure = (name: string) => number(fields[`${architecture}.${name}`]) ?? 0;
  const layers = figure('block_count');
  const heads = figure('attention.head_count') || 1;
  const embeddingLength = figure('embedding_length');
  const cachedHeads = figure('attention.head_count_kv') || heads;
  const keyLength = figure('attention.key_length') || embeddingLength / heads;
  const valueLength = figure('attention.value_length') || embeddingLength / heads;
  return {
    fileBytes,
    layers,
    cachedPerToken: layers * cachedHeads * (keyLength + valueLength),
    embeddingLength,
    feedForwardLength: figure('feed_forward_length'),
    vocabularySize: figure('vocab_size') || strings(fields['tokenizer.ggml.tokens']).length,
    trainedContextLength: figure('context_length'),
  };
}

function quantization(fileType: number | undefined): string[] {
  const name = fileType === undefined ? undefined : GGMLFileQuantizationType[fileType];
  return name === undefined ? [] : [name];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
