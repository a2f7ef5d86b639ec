/** The bytes of a model's tensors, by the parts that can be put on different devices. */
export interface TensorBytes {
  /** The layers in their order: the experts of a mixture of experts, and all other tensors. */
  layers: LayerBytes[];
  /** The embeddings of the tokens. */
  embedding: number;
  /** The output layer; 0 if the embeddings serve as one. */
  output: number;
  /** All other tensors. */
  others: number;
  /** True for an EAGLE-3 draft model with a vocabulary of its own, which it maps to that of its model. */
  mapsVocabulary?: true;
}

/** The bytes of a layer. */
export interface LayerBytes {
  experts: number;
  rest: number;
  /** True for an MTP layer: it has the projection of an embedding and a hidden row, without which no graph of it can be built. */
  isMtp?: true;
}

/** The tensors of a layer, as in `blk.3.ffn_up_exps.weight`. */
const LAYER = /^blk\.(\d+)\.(.*)$/;
/** The tensors with all experts of a layer. llama.cpp's `--cpu-moe` keeps the same ones in the machine's memory. */
const EXPERTS = /^ffn_(?:up|down|gate|gate_up)_(?:ch)?exps\b/;
const MTP_PROJECTION = 'nextn.eh_proj.weight';
const VOCABULARY_MAP = 'd2t';
/** More layers than any model has: a broken header names them. */
const MOST_LAYERS = 4096;

/** Returns the pattern of the experts' tensors in the first layers, for llama.cpp. */
export function expertsPattern(layers: number): string {
  const numbers = Array.from({ length: layers }, (_, layer) => layer).join('|');
  return `^blk\\.(${numbers})\\.ffn_(up|down|gate|gate_up)_(ch|)exps`;
}

/** Returns the bytes of no tensors, to which `addTensor` adds. */
export function noTensors(): TensorBytes {
  return { layers: [], embedding: 0, output: 0, others: 0 };
}

/** Adds a tensor to the bytes, in place. */
export function addTensor(tensors: TensorBytes, name: string, bytes: number): void {
  const [, number, part = ''] = LAYER.exec(name) ?? [];
  const index = Number(number ?? MOST_LAYERS);
  if (index < MOST_LAYERS) {
    while (tensors.layers.length <= index) tensors.layers.push({ experts: 0, rest: 0 });
    const layer = tensors.layers[index];
    if (!layer) return;
    layer[EXPERTS.test(part) ? 'experts' : 'rest'] += bytes;
    if (part === MTP_PROJECTION) layer.isMtp = true;
  } else if (name === 'token_embd.weight') tensors.embedding += bytes;
  else if (name === 'output.weight') tensors.output += bytes;
  else tensors.others += bytes;
  if (name === VOCABULARY_MAP) tensors.mapsVocabulary = true;
}

/** Returns the bytes of all files of a model together. */
export function joinTensors(files: readonly TensorBytes[]): TensorBytes {
  const layers = Array.from({ length: Math.max(0, ...files.map(({ layers }) => layers.length)) }, (_, index) => ({
    experts: sum(files.map((file) => file.layers[index]?.experts ?? 0)),
    rest: sum(files.map((file) => file.layers[index]?.rest ?? 0)),
    ...(files.some((file) => file.layers[index]?.isMtp) && { isMtp: true as const }),
  }));
  const all = (part: 'embedding' | 'output' | 'others') => sum(files.map((file) => file[part]));
  return { layers, embedding: all('embedding'), output: all('output'), others: all('others') };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
