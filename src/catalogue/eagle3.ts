import type { Eagle3Shape, ModelShape, ModelSource } from '../engine/engine.ts';
import { createFields, type Fields } from '../gguf/fields.ts';
import type { GgufHeader } from '../gguf/header.ts';
import type { GgufFile } from './found-file.ts';

/** The architecture of EAGLE-3 draft models: one layer that guesses from what layers of another model compute. */
const EAGLE3 = 'eagle3';

/** The architectures whose graph in llama.cpp gives the inputs of its layers. It would end the process where it gives none. */
const GIVES_INPUTS = new Set([
  'bailingmoe3',
  'gemma4',
  'gpt-oss',
  'hunyuan-dense',
  'hunyuan_vl',
  'lfm2',
  'lfm2moe',
  'llama',
  'minimax-01',
  'minimax-m2',
  'muse-glimmer',
  'nanbeige',
  'nemotron_h',
  'nemotron_h_moe',
  'qwen3',
  'qwen35',
  'qwen35moe',
  'qwen3moe',
  'qwen3next',
]);
/** Those that give the output of the last layer too. */
const GIVES_OUTPUT = new Set([
  'bailingmoe3',
  'gemma4',
  'gpt-oss',
  'nemotron_h',
  'nemotron_h_moe',
  'qwen35',
  'qwen35moe',
  'qwen3next',
]);
/** The layers of which llama.cpp joins the inputs. */
const READ_LAYERS = 3;

/** True if a GGUF is an EAGLE-3 draft model, which is no model of its own. */
export function isEagle3({ header }: Pick<GgufFile, 'header'>): boolean {
  return createFields(header.fields).text('general.architecture') === EAGLE3;
}

/** Returns why an EAGLE-3 draft model can not guess for a model, as far as the headers tell; undefined if it can. */
export function whyNotFor(model: GgufHeader, draft: GgufHeader): string | undefined {
  const fields = createFields(model.fields);
  const architecture = fields.text('general.architecture') ?? '';
  if (!GIVES_INPUTS.has(architecture))
    return `llama.cpp gives no inputs of layers of the architecture ${architecture} to guess from`;
  const own = createFields(draft.fields);
  const layers = figure(fields, architecture, 'block_count') - figure(fields, architecture, 'nextn_predict_layers');
  const most = GIVES_OUTPUT.has(architecture) ? layers : layers - 1;
  const read = layersReadBy(own);
  const [width, target] = [figure(fields, architecture, 'embedding_length'), figure(own, EAGLE3, 'target_hidden_size')];
  const [size, ownSize] = [fields, own].map((each) => each.length('tokenizer.ggml.tokens'));
  if (figure(own, EAGLE3, 'block_count') !== 1 || read.length !== READ_LAYERS)
    return `it is not of one layer that reads ${READ_LAYERS} layers of its model`;
  if (read.some((layer) => layer < 0 || layer > most))
    return `it reads the layers ${read.join(', ')}, and the model has ${layers}`;
  if (target !== width) return `it is for a model of the width ${target}, and the width of this one is ${width}`;
  if (ownSize !== size) return `its vocabulary has ${ownSize} tokens, and that of the model ${size}`;
  if (draft.tensors.mapsVocabulary && draft.tensors.output === 0)
    return 'it has a vocabulary of its own, and no output layer for it';
  if (borrows(draft) && figure(own, EAGLE3, 'embedding_length') !== width)
    return "it lacks weights, and the model's are of another width";
  return undefined;
}

/**
 * Returns what a model's source and shape say of its EAGLE-3 draft model.
 *
 * @param shape what its header says as that of any model does
 */
export function readEagle3(
  { file, header }: GgufFile,
  shape: ModelShape,
): { source: NonNullable<ModelSource['eagle3']>; shape: Eagle3Shape } {
  const borrowed = borrows(header);
  const readLayers = layersReadBy(createFields(header.fields)).length;
  return { source: { file: file.path, borrows: borrowed }, shape: { ...shape, readLayers, borrows: borrowed } };
}

function borrows({ tensors }: GgufHeader): boolean {
  return tensors.embedding === 0 || tensors.output === 0;
}

function layersReadBy(draft: Fields): number[] {
  return draft.numbers(`${EAGLE3}.target_layers`);
}

function figure(fields: Fields, architecture: string, name: string): number {
  return fields.number(`${architecture}.${name}`) ?? 0;
}
