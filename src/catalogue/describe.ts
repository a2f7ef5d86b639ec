import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { GGMLFileQuantizationType, gguf } from '@huggingface/gguf';
import type { ModelCard } from '../core/model.ts';

/** A model found on disk: what it says of itself, and the files that make it up, in order. */
export interface ModelEntry {
  card: ModelCard;
  files: string[];
}

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
  const pooling = number(fields[`${architecture}.pooling_type`]);

  return {
    files,
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
        embedding: pooling !== undefined && pooling > 0,
        ...(template !== undefined && { prompt_template: template }),
      },
      parameters: {},
      metadata: {
        author: text(fields['general.author']) ?? '',
        tags: [architecture, ...quantization(number(fields['general.file_type'])), ...strings(fields['general.tags'])],
        size: stats.reduce((sum, { size }) => sum + size, 0),
        cover: '',
      },
      trainedContextLength: number(fields[`${architecture}.context_length`]) ?? 0,
      parameterCount,
    },
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
