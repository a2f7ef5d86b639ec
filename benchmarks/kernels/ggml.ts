import koffi from 'koffi';
import { findBinaries } from '../../src/engine/native/llama/library/binaries.ts';

// Products and attention computed by ggml itself, in a graph of one node: with its own kernels or with Paddock's, as the
// server has them.

type Address = bigint;

/**
 * The types of weights that are measured, by their names in GGUF files, with ggml's numbers, and the bytes and numbers
 * of a block.
 */
export const TYPES = {
  Q8_0: { type: 8, bytes: 34, length: 32 },
  Q6_K: { type: 14, bytes: 210, length: 256 },
  Q5_K: { type: 13, bytes: 176, length: 256 },
  Q4_K: { type: 12, bytes: 144, length: 256 },
  Q5_0: { type: 6, bytes: 22, length: 32 },
  Q4_0: { type: 2, bytes: 18, length: 32 },
  F16: { type: 1, bytes: 2, length: 1 },
  BF16: { type: 30, bytes: 2, length: 1 },
} as const;

export type TypeName = keyof typeof TYPES;

/** A product of `rows` x `depth` weights and `columns` activations. With experts, each column is for `used` of them. */
export interface Shape {
  type: TypeName;
  rows: number;
  depth: number;
  columns: number;
  experts?: { count: number; used: number };
  /** True if ggml may store the weights in a layout of its own, as it does by default for Q4_0 and Q4_K. */
  repack?: boolean;
}

/**
 * The attention of the latest `tokens` of each sequence, with a number of heads of queries, to the keys of a cache, with a
 * number of heads of keys.
 */
export interface AttentionShape {
  depth: number;
  heads: number;
  keyHeads: number;
  sequences: number;
  tokens: number;
  keys: number;
  /** The number of sequences whose keys lie in one cache, in turn, and whose tokens follow one another in turn; by default one. */
  together?: number;
}

/** What attention is computed from: floats for the queries, 16-bit floats for the rest, each head behind the other. */
export interface AttentionParts {
  queries: Float32Array;
  keys: Uint16Array;
  values: Uint16Array;
  mask: Uint16Array;
}

export interface Graph {
  /** Computes the one node. */
  compute(): void;
  /**
   * Returns the results. Of a product: rows for each column, or for each expert of each column. Of attention: the numbers
   * of each head, of each token.
   */
  results(): Float32Array;
  /** Frees its memory. */
  free(): void;
}

export interface Ggml {
  /**
   * Chooses the kernels: `off` are ggml's own; `best`; or an instruction set. Returns false if the processor lacks it.
   */
  select(kernels: string): boolean;
  /** Multiplies bytes in registers, as fast as the chosen instruction set can. Returns the number of products. */
  limit(rounds: number): number;
  /** Returns the number of products with a type of weights that Paddock's kernels computed. */
  products(type: number): number;
  /** Makes a graph for a product of given weights and activations. The ids name the experts of each column. */
  graph(shape: Shape, weights: Uint8Array, activations: Float32Array, ids?: Int32Array): Graph;
  /** Returns the number of attentions that Paddock's kernels computed. */
  attentions(): number;
  /** Has attention sum in one order from now on, however many tokens are computed together. */
  keepOrder(): void;
  /** Makes a graph for attention. */
  attention(shape: AttentionShape, parts: AttentionParts): Graph;
}

/**
 * Opens Paddock's kernels, then ggml's libraries, in which they replace functions: in this order, or nothing is
 * replaced.
 */
export async function openGgml(kernelsFile: string, threads: number): Promise<Ggml> {
  const kernels = koffi.load(kernelsFile, { global: true });
  const { folder, libraries } = await findBinaries(false);
  const [base, ggml] = libraries.slice(0, 2).map((path) => koffi.load(path));
  if (!base || !ggml) throw new Error('there are no libraries of ggml');
  koffi.struct('paddock_init_params', { mem_size: 'size_t', mem_buffer: 'void *', no_alloc: 'bool' });
  const init = base.func('void *ggml_init(paddock_init_params params)');
  const freeContext = base.func('void ggml_free(void *context)');
  const matrix = base.func('void *ggml_new_tensor_2d(void *context, int type, int64_t a, int64_t b)');
  const cube = base.func('void *ggml_new_tensor_3d(void *context, int type, int64_t a, int64_t b, int64_t c)');
  const block = base.func(
    'void *ggml_new_tensor_4d(void *context, int type, int64_t a, int64_t b, int64_t c, int64_t d)',
  );
  const attend = base.func(
    'void *ggml_flash_attn_ext(void *context, void *q, void *k, void *v, void *mask, float scale, float bias, float cap)',
  );
  const multiply = base.func('void *ggml_mul_mat(void *context, void *a, void *b)');
  const multiplyExperts = base.func('void *ggml_mul_mat_id(void *context, void *a, void *b, void *ids)');
  const newGraph = base.func('void *ggml_new_graph(void *context)');
  const expand = base.func('void ggml_build_forward_expand(void *graph, void *tensor)');
  const allocate = base.func('void *ggml_backend_alloc_ctx_tensors_from_buft(void *context, void *type)');
  const freeBuffer = base.func('void ggml_backend_buffer_free(void *buffer)');
  const cpuBuffers = base.func('void *ggml_backend_cpu_buffer_type()');
  const set = base.func('void ggml_backend_tensor_set(void *tensor, const void *data, size_t offset, size_t size)');
  const get = base.func('void ggml_backend_tensor_get(void *tensor, void *data, size_t offset, size_t size)');
  const computeGraph = base.func('int ggml_backend_graph_compute(void *backend, void *graph)');
  const deviceOf = base.func('void *ggml_backend_get_device(void *backend)');
  const registryOf = base.func('void *ggml_backend_dev_backend_reg(void *device)');
  const functionOf = ggml.func('void *ggml_backend_reg_get_proc_address(void *registry, const char *name)');
  ggml.func('void ggml_backend_load_all_from_path(const char *folder)')(folder);
  const backend = ggml.func('void *ggml_backend_init_by_type(int type, const char *params)')(0, null) as Address;
  const device = deviceOf(backend) as Address;
  const registry = registryOf(device) as Address;
  const call = (name: string, prototype: string, ...args: unknown[]): unknown =>
    koffi.call(functionOf(registry, name), koffi.proto(prototype), ...args);
  call('ggml_backend_set_n_threads', 'void (void *backend, int threads)', backend, threads);
  /** The buffers in which ggml stores weights in layouts of its own: the last one; null if it has none. */
  const extra = call('ggml_backend_dev_get_extra_bufts', 'void *(void *device)', device) as Address | null;
  const repacked = extra && (koffi.decode(extra, 'void *') as Address | null);

  const select = kernels.func('bool paddock_kernels_select(const char *name)');
  const products = kernels.func('uint64_t paddock_kernels_products(int type)');
  const limit = kernels.func('uint64_t paddock_kernels_limit(int64_t rounds)');
  const keepOrder = kernels.func('void paddock_kernels_keep_order()');
  const attentions = kernels.func('uint64_t paddock_kernels_attentions()');

  const newContext = () => init({ mem_size: 2 ** 20, mem_buffer: null, no_alloc: true }) as Address;
  const fill = (tensor: unknown, data: ArrayBufferView) => set(tensor, data, 0, data.byteLength);
  /** Makes the graph that computes a tensor of `count` floats. The contexts and buffers are freed with it. */
  const graphOf = (node: unknown, count: number, context: Address, contexts: Address[], buffers: unknown[]): Graph => {
    const graph = newGraph(context);
    expand(graph, node);
    return {
      compute() {
        if (computeGraph(backend, graph) !== 0) throw new Error('ggml could not compute the graph');
      },
      results() {
        const results = new Float32Array(count);
        get(node, results, 0, results.byteLength);
        return results;
      },
      free() {
        for (const buffer of buffers) freeBuffer(buffer);
        for (const each of contexts) freeContext(each);
      },
    };
  };
  return {
    select: (name) => select(name) === true,
    limit: (rounds) => Number(limit(rounds)),
    products: (type) => Number(products(type)),
    graph(shape, weights, activations, ids) {
      const { type } = TYPES[shape.type];
      const { rows, depth, columns, experts } = shape;
      const used = experts?.used ?? 1;
      const [ofWeights, ofGraph] = [newContext(), newContext()];
      const w = experts ? cube(ofWeights, type, depth, rows, experts.count) : matrix(ofWeights, type, depth, rows);
      const x = experts ? cube(ofGraph, 0, depth, 1, columns) : matrix(ofGraph, 0, depth, columns);
      const chosen = experts ? matrix(ofGraph, 26, used, columns) : null;
      const y = experts ? multiplyExperts(ofGraph, w, x, chosen) : multiply(ofGraph, w, x);
      const buffers = [
        allocate(ofWeights, (shape.repack && repacked) || cpuBuffers()),
        allocate(ofGraph, cpuBuffers()),
      ];
      fill(w, weights);
      fill(x, activations);
      if (chosen && ids) fill(chosen, ids);
      return graphOf(y, rows * used * columns, ofGraph, [ofWeights, ofGraph], buffers);
    },
    attentions: () => Number(attentions()),
    keepOrder: () => void keepOrder(),
    attention({ depth, heads, keyHeads, sequences, tokens, keys }, parts) {
      const context = newContext();
      const halves = TYPES.F16.type;
      const q = block(context, 0, depth, tokens, heads, sequences);
      const [k, v] = [0, 1].map(() => block(context, halves, depth, keys, keyHeads, sequences));
      const mask = block(context, halves, keys, tokens, 1, sequences);
      const node = attend(context, q, k, v, mask, 1 / Math.sqrt(depth), 0, 0);
      const buffers = [allocate(context, cpuBuffers())];
      fill(q, parts.queries);
      fill(k, parts.keys);
      fill(v, parts.values);
      fill(mask, parts.mask);
      return graphOf(node, depth * heads * tokens * sequences, context, [context], buffers);
    },
  };
}
