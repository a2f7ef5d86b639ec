import { MOST_PIXELS } from '../contract/media.ts';
import type { ModelCard } from '../contract/models/model.ts';
import { type Senses, sensesIn } from '../contract/models/senses.ts';
import { ALL_EXPERTS, type ModelKind, type ModelShape, type ModelSource } from '../engine/engine.ts';
import { createFields, type Fields } from '../gguf/fields.ts';
import { fileTypeName } from '../gguf/ggml-types.ts';
import type { GgufHeader } from '../gguf/header.ts';
import { readProjectorShape } from '../gguf/projector.ts';
import { joinTensors } from '../gguf/tensor-bytes.ts';
import { sizeLabel } from '../utils/size-label.ts';
import { sum } from '../utils/sum.ts';
import type { FoundAdapter } from './adapter.ts';
import { readCacheShape } from './cache-shape.ts';
import { readDecisionModel } from './decision.ts';
import { isEagle3, readEagle3 } from './eagle3.ts';
import { readExperts } from './experts.ts';
import type { FoundFile, GgufFile } from './found-file.ts';
import type { ModelOverrides } from './model-json.ts';
import { readMtp } from './mtp.ts';
import { needsProjector, projectorSenses } from './projector.ts';
import { recommendedSampling } from './recommended-sampling.ts';
import { decisionType, whyUnservable } from './unservable.ts';

/** A model found on disk. `card` is what the API tells of it; `source` names its files and how to load them. */
export interface ModelEntry {
  card: ModelCard;
  source: ModelSource;
}

/** The files that go with a model. */
export interface FilesBeside {
  projector: GgufFile | null;
  /** The model that guesses how its replies go on: a small chat model, or an EAGLE-3 draft model that fits it. */
  draft: GgufFile | null;
  /** Its LoRA adapters, in the order of its model.json. */
  adapters: FoundAdapter[];
}

/** llama.cpp's `LLAMA_POOLING_TYPE_RANK`. The types 1 to 3 make one vector from a text's tokens. */
const POOLING_RANK = 4;
/** llama.cpp's `LLAMA_POOLING_TYPE_LAST`. */
const POOLING_LAST = 3;
/** These architectures read a whole text and generate none, even if the header names no pooling. */
const ENCODERS =
  /^(bert|modern-bert|neo-bert|nomic-bert.*|jina-bert.*|eurobert|gemma-embedding|llama-embed|t5encoder)$/;

/**
 * Describes a model by its header. Fields of its model.json replace those of the header. Throws if the GGUF is not a
 * model.
 */
export function describeModel(
  id: string,
  parts: [GgufFile, ...GgufFile[]],
  { projector, draft, adapters }: FilesBeside,
  overrides: ModelOverrides,
): ModelEntry {
  const [{ header }] = parts;
  const fields = createFields(header.fields);
  const architecture = fields.text('general.architecture');
  if (architecture === undefined) throw new Error('the GGUF names no architecture');
  const type = fields.text('general.type') ?? 'model';
  if (type !== 'model') throw new Error(`the GGUF is no model of its own: its type is ${type}`);
  if (header.tensorCount === 0) throw new Error('the GGUF has no tensors');
  const reason = whyUnservable(architecture, fields);
  if (reason !== undefined) throw new Error(reason);

  const files = [...parts, ...(projector ? [projector] : [])].map(({ file }) => file);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const kind = kindOf(architecture, fields);
  const { prompt_template, mtp: wantsMtp = true } = overrides.settings ?? {};
  const tensors = joinTensors(parts.map(({ header }) => header.tensors));
  const { mtp, ...mtpShape } = kind === 'chat' ? readMtp(architecture, fields, tensors, wantsMtp, draft !== null) : {};
  const eagle3 = draft && isEagle3(draft) ? readEagle3(draft, draftShape(draft)) : undefined;
  return {
    source: {
      files: parts.map(({ file }) => file.path),
      ...(projector && { projector: projector.file.path }),
      ...(draft && (eagle3 ? { eagle3: eagle3.source } : { draft: draft.file.path })),
      ...(adapters.length > 0 && { adapters: adapters.map(({ id, gguf }) => ({ name: id, file: gguf.file.path })) }),
      ...(mtp && { mtp }),
      kind,
      fileType: fields.number('general.file_type'),
      shape: {
        ...readShape(architecture, fields, size + sum(adapters.map(({ gguf }) => gguf.file.size))),
        tensors,
        ...mtpShape,
        ...readExperts(architecture, fields, tensors),
        parameterCount: sum(parts.map(({ header }) => header.parameterCount)),
        ...(projector && { projector: shapeOf(projector) }),
        ...(draft && (eagle3 ? { eagle3: eagle3.shape } : { draft: draftShape(draft) })),
      },
      ...(prompt_template !== undefined && { chatTemplate: prompt_template }),
      loading: loadingOf(overrides.settings ?? {}),
    },
    card: overrideCard(describeCard(id, architecture, kind, parts, { projector, draft, adapters }, files), overrides),
  };
}

/** Returns the load settings of a model.json. */
function loadingOf(settings: NonNullable<ModelOverrides['settings']>): NonNullable<ModelSource['loading']> {
  const { ctx_len, n_parallel, cpu_threads, ngl, kv_type, cpu_moe, n_cpu_moe } = settings;
  const { split_mode, tensor_split, main_gpu } = settings;
  const cpuExperts = cpu_moe === true ? ALL_EXPERTS : n_cpu_moe;
  return {
    ...(ctx_len !== undefined && { contextLength: ctx_len }),
    ...(n_parallel !== undefined && { slots: n_parallel }),
    ...(cpu_threads !== undefined && { threads: cpu_threads }),
    ...(ngl !== undefined && { gpuLayers: ngl }),
    ...(cpuExperts !== undefined && { cpuExperts }),
    ...(split_mode !== undefined && { splitMode: split_mode }),
    ...(tensor_split !== undefined && { tensorSplit: tensor_split }),
    ...(main_gpu !== undefined && { mainGpu: main_gpu }),
    ...(kv_type !== undefined && { kvType: kv_type }),
  };
}

function describeCard(
  id: string,
  architecture: string,
  kind: ModelKind,
  parts: [GgufFile, ...GgufFile[]],
  { projector, draft, adapters }: FilesBeside,
  files: FoundFile[],
): ModelCard {
  const fields = createFields(parts[0].header.fields);
  const template = fields.text('tokenizer.chat_template');
  const author = fields.text('general.author');
  const fileType = fileTypeName(fields.number('general.file_type'));
  const parameterCount = sum(parts.map(({ header }) => header.parameterCount));
  const senses = projectorSenses(projector);
  const decision = readDecisionModel(architecture, fields);
  return {
    id,
    created: Math.floor(Math.min(...files.map(({ modified }) => modified)) / 1000),
    owned_by: fields.text('general.organization') ?? author ?? 'local',
    name: fields.text('general.name') ?? id,
    version: fields.text('general.version') ?? '1',
    format: 'gguf',
    description: fields.text('general.description') ?? '',
    sources: files.map(({ name }) => ({ filename: name, url: fields.text('general.source.url') ?? '' })),
    settings: {
      embedding: kind === 'embedding',
      ...(template !== undefined && { prompt_template: template }),
      ...(projector && { mmproj: projector.file.name }),
      ...(draft && { draft_model: draft.file.name }),
      ...(adapters.length > 0 && { lora: adapters.map(({ id, scale }) => ({ id, scale })) }),
      ...(senses.vision && { vision_model: true }),
      ...recommendedSampling(fields),
    },
    parameters: {},
    metadata: {
      author: author ?? '',
      tags: [
        ...new Set([
          architecture,
          ...(fileType === undefined ? [] : [fileType]),
          fields.text('general.size_label') ?? sizeLabel(parameterCount),
          ...modalities(kind, senses),
          ...(decisionType(architecture, fields) === undefined ? [] : ['decision']),
          ...fields.texts('general.languages'),
          ...fields.texts('general.tags'),
        ]),
      ],
      size: files.reduce((sum, file) => sum + file.size, 0),
      cover: '',
    },
    trainedContextLength: fields.number(`${architecture}.context_length`) ?? 0,
    parameterCount,
    audioModel: senses.audio,
    rankingModel: kind === 'rerank',
    architecture,
    ...(fileType !== undefined && { quantization: fileType }),
    ...(decision && { decision }),
    ...(!projector && needsProjector(architecture) && { lacksProjector: true as const }),
  };
}

function overrideCard(card: ModelCard, { settings = {}, parameters, metadata, ...fields }: ModelOverrides): ModelCard {
  // The files beside it have been chosen already. `id` is the final one as well.
  const { mmproj: _, draft_model: __, lora: ___, ...others } = settings;
  return {
    ...card,
    ...fields,
    id: card.id,
    settings: { ...card.settings, ...others },
    parameters: { ...card.parameters, ...parameters },
    metadata: { ...card.metadata, ...metadata },
  };
}

function shapeOf({ file, header }: GgufFile): ModelShape['projector'] & {} {
  return { ...readProjectorShape(createFields(header.fields), MOST_PIXELS), fileBytes: file.size };
}

/** True if a GGUF is a chat model of an architecture that the engines here can run. */
export function isChatModel({ fields: entries }: GgufHeader): boolean {
  const fields = createFields(entries);
  const architecture = fields.text('general.architecture') ?? '';
  return kindOf(architecture, fields) === 'chat' && whyUnservable(architecture, fields) === undefined;
}

function draftShape({ file, header }: GgufFile): ModelShape {
  const fields = createFields(header.fields);
  return readShape(fields.text('general.architecture') ?? '', fields, file.size);
}

function kindOf(architecture: string, fields: Fields): ModelKind {
  const pooling = fields.number(`${architecture}.pooling_type`) ?? 0;
  if (pooling === POOLING_RANK) return 'rerank';
  return pooling > 0 || ENCODERS.test(architecture) ? 'embedding' : 'chat';
}

function readShape(architecture: string, fields: Fields, fileBytes: number): ModelShape {
  const figure = (name: string) => fields.number(`${architecture}.${name}`) ?? 0;
  return {
    fileBytes,
    layers: figure('block_count'),
    ...readCacheShape(architecture, fields),
    embeddingLength: figure('embedding_length'),
    feedForwardLength: figure('feed_forward_length'),
    vocabularySize: figure('vocab_size') || fields.length('tokenizer.ggml.tokens'),
    trainedContextLength: figure('context_length'),
    poolsLast: figure('pooling_type') === POOLING_LAST,
  };
}

function modalities(kind: ModelKind, senses: Senses): string[] {
  return [kind === 'chat' ? 'text' : kind, ...sensesIn(senses)];
}
