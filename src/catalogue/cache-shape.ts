import type { ModelShape } from '../engine/engine.ts';
import type { Fields } from '../gguf/fields.ts';

/** What a model keeps of the tokens of a slot. */
export type CacheShape = Pick<ModelShape, 'cachedPerToken' | 'window' | 'stateNumbers' | 'keepsStates'>;

/** The layers of an architecture that look back on a few tokens, where the header has no list of them. */
interface WindowRule {
  /** One layer of so many attends to all tokens. */
  everyNth: number;
  /** True if that is the first of them; else it is the last. */
  fullFirst?: true;
  /** The tokens that the others look back on if the header does not say. */
  tokens?: number;
  /** Overrides the header. */
  always?: number;
}

/** llama.cpp's architectures with sliding windows. All others attend to all tokens, whatever their header says. */
const WINDOWS: Record<string, WindowRule> = {
  afmoe: { everyNth: 4 },
  cohere2: { everyNth: 4 },
  cohere2moe: { everyNth: 4, fullFirst: true },
  exaone4: { everyNth: 4 },
  'exaone-moe': { everyNth: 4, tokens: 128 },
  gemma2: { everyNth: 2, tokens: 4096 },
  gemma3: { everyNth: 6 },
  gemma3n: { everyNth: 5 },
  'gpt-oss': { everyNth: 2 },
  laguna: { everyNth: 4, fullFirst: true },
  llama4: { everyNth: 4, tokens: 8192, always: 8192 },
  mellum: { everyNth: 4 },
  'muse-glimmer': { everyNth: 4 },
  olmo2: { everyNth: 4 },
  plamo3: { everyNth: 8 },
  smallthinker: { everyNth: 4, fullFirst: true, always: 4096 },
};

/** The architectures whose layers have a recurrent state and no keys and values. */
const RECURRENT = new Set(['mamba', 'mamba2', 'rwkv6', 'rwkv6qwen2', 'rwkv7', 'arwkv7']);
/** The architectures with both kinds of layers. A layer without heads of keys and values has a recurrent state. */
const HYBRID = new Set([
  'bailingmoe3',
  'falcon-h1',
  'granitehybrid',
  'jamba',
  'kimi-k3',
  'kimi-linear',
  'lfm2',
  'lfm2moe',
  'nemotron_h',
  'nemotron_h_moe',
  'plamo2',
]);
/** Hybrids whose every n-th layer attends to all tokens, unless the file names the recurrent layers. */
const BY_INTERVAL: Record<string, number> = { qwen3next: 4, qwen35: 4, qwen35moe: 4, qwen4exp: 4, 'minimax-01': 8 };
/** These layers have both a recurrent state and keys and values. */
const BOTH = new Set(['falcon-h1']);

/** The architectures of which llama.cpp can keep earlier states of a slot (`llm_arch_supports_rs_rollback`). */
const KEEPS_STATES = new Set([
  'bailingmoe3',
  'kimi-k3',
  'lfm2',
  'lfm2moe',
  'nemotron_h',
  'nemotron_h_moe',
  'qwen35',
  'qwen35moe',
  'qwen4exp',
]);

/** The layers of a Gemma 3n with keys and values of their own; the others use theirs. */
const GEMMA_3N_LAYERS = 20;

/** llama.cpp takes no model with more layers. */
const MOST_LAYERS = 512;

/** Reads from a header what the model keeps of the tokens of a slot, layer by layer, as llama.cpp allocates it. */
export function readCacheShape(architecture: string, fields: Fields): CacheShape {
  const key = (name: string) => `${architecture}.${name}`;
  const figure = (name: string) => fields.number(key(name)) ?? 0;
  const layers = Math.min(MOST_LAYERS, figure('block_count') - figure('nextn_predict_layers'));
  const heads = perLayer(fields.numbers(key('attention.head_count')), 1);
  const cachedHeads = perLayer(fields.numbers(key('attention.head_count_kv')), null);
  const numbers = numbersOfHead(architecture, fields, figure('embedding_length') / (heads(0) || 1));
  const isRecurrent = recurrentLayers(architecture, fields);
  const window = windowOf(architecture, fields, layers, isRecurrent);
  const withCache = layersWithCache(architecture, fields, layers);
  const sums = { full: 0, windowed: 0, recurrent: 0 };
  for (let layer = 0; layer < layers; layer++) {
    const count = cachedHeads(layer) ?? heads(layer);
    if (isRecurrent(layer)) sums.recurrent += 1;
    if (layer >= withCache || (isRecurrent(layer) && !BOTH.has(architecture))) continue;
    if (window?.has(layer)) sums.windowed += count * numbers.windowed;
    else sums.full += count * numbers.full + numbers.indexer;
  }
  return {
    cachedPerToken: sums.full,
    ...(window && sums.windowed > 0 && { window: { cachedPerToken: sums.windowed, tokens: window.tokens } }),
    ...(sums.recurrent > 0 && {
      stateNumbers: sums.recurrent * stateOfLayer(figure, heads(0)),
      ...(KEEPS_STATES.has(architecture) && { keepsStates: true }),
    }),
  };
}

/** Returns the keys and values of one token in a layer that attends to all tokens, an MTP layer for one, as numbers. */
export function cachedNumbersOfLayer(architecture: string, fields: Fields, layer: number): number {
  const of = (name: string) => fields.numbers(`${architecture}.${name}`);
  const heads = perLayer(of('attention.head_count'), 1)(layer);
  const { full } = numbersOfHead(architecture, fields, (of('embedding_length')[0] ?? 0) / (heads || 1));
  return (perLayer(of('attention.head_count_kv'), null)(layer) ?? heads) * full;
}

/**
 * Returns the cached numbers of one token: for each head in layers that attend to all tokens and in those with a window,
 * and for each layer of the first kind in its indexer, if it has one.
 */
function numbersOfHead(architecture: string, fields: Fields, headLength: number) {
  const lengthOf = (name: string, otherwise: number) => fields.number(`${architecture}.attention.${name}`) ?? otherwise;
  const [keys, values] = [lengthOf('key_length', headLength), lengthOf('value_length', headLength)];
  const [shortKeys, shortValues] = [lengthOf('key_length_swa', keys), lengthOf('value_length_swa', values)];
  // With multi-head latent attention, the keys hold the values too.
  const isLatent = lengthOf('key_length_mla', 0) > 0;
  return {
    full: isLatent ? keys : keys + values,
    windowed: isLatent ? shortKeys : shortKeys + shortValues,
    indexer: isLatent ? lengthOf('indexer.key_length', 0) : 0,
  };
}

/** Returns the value of each layer: of a list, or the same for all. A list may be longer than what is kept of it. */
function perLayer<T>(values: number[], otherwise: T): (layer: number) => number | T {
  return (layer) => (values.length > 1 ? values[layer] : values[0]) ?? otherwise;
}

/** Returns the number of the first layers that have keys and values of their own. */
function layersWithCache(architecture: string, fields: Fields, layers: number): number {
  if (architecture === 'gemma3n') return GEMMA_3N_LAYERS;
  return layers - (fields.number(`${architecture}.attention.shared_kv_layers`) ?? 0);
}

/** Returns the layers with a sliding window, and its length in tokens; null if there is none. */
function windowOf(
  architecture: string,
  fields: Fields,
  layers: number,
  isRecurrent: (layer: number) => boolean,
): { tokens: number; has: (layer: number) => boolean } | null {
  const rule = WINDOWS[architecture];
  const given = fields.number(`${architecture}.attention.sliding_window`);
  const list = fields.switches(`${architecture}.attention.sliding_window_pattern`);
  if (given === 0 || (!rule && list.length <= 1 && architecture !== 'lfm2')) return null;
  // Of the models of this architecture, only the large one has windows.
  if (architecture === 'exaone4' && layers !== 64) return null;
  const tokens = rule?.always ?? given ?? rule?.tokens;
  if (tokens === undefined) return null;
  if (architecture === 'lfm2') return { tokens, has: (layer) => !isRecurrent(layer) };
  if (list.length > 1) return { tokens, has: (layer) => list[layer] ?? false };
  const { everyNth = 1, fullFirst = false } = rule ?? {};
  const nth = fields.number(`${architecture}.attention.sliding_window_pattern`) ?? everyNth;
  return { tokens, has: (layer) => nth === 0 || layer % nth !== (fullFirst ? 0 : nth - 1) };
}

/** Returns a function that tells whether a layer has a recurrent state. */
function recurrentLayers(architecture: string, fields: Fields): (layer: number) => boolean {
  if (RECURRENT.has(architecture) || BOTH.has(architecture)) return () => true;
  const interval = BY_INTERVAL[architecture];
  if (interval !== undefined) {
    const list = fields.switches(`${architecture}.attention.recurrent_layers`);
    const every = fields.number(`${architecture}.full_attention_interval`) ?? interval;
    return (layer) => (list.length > 1 ? (list[layer] ?? false) : (layer + 1) % every !== 0);
  }
  if (!HYBRID.has(architecture)) return () => false;
  const heads = perLayer(fields.numbers(`${architecture}.attention.head_count_kv`), 1);
  const hidden = fields.numbers(`${architecture}.feed_forward_length`);
  // A layer of Nemotron-H is one of three: a state, attention, or a feed-forward network.
  return (layer) =>
    heads(layer) === 0 && (hidden.length <= 1 || !architecture.startsWith('nemotron') || hidden[layer] === 0);
}

/** Returns the numbers of the recurrent state of one layer. */
function stateOfLayer(figure: (name: string) => number, heads: number): number {
  const embedding = figure('embedding_length');
  const convolution = figure('ssm.conv_kernel');
  const wkv = figure('wkv.head_size');
  if (wkv > 0) return embedding * ((figure('token_shift_count') || 2) + wkv);
  const short = figure('shortconv.l_cache');
  if (short > 0) return embedding * (short - 1);
  const delta = figure('kda.head_dim');
  if (delta > 0) return 3 * Math.max(0, (convolution || 4) - 1) * heads * delta + heads * delta ** 2;
  const inner = figure('ssm.inner_size');
  if (inner === 0) return heads * figure('attention.key_length') ** 2;
  const state = figure('ssm.state_size');
  return Math.max(0, convolution - 1) * (inner + 2 * figure('ssm.group_count') * state) + state * inner;
}
