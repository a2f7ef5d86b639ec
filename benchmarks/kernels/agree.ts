import { type AttentionShape, type Graph, openGgml, type Shape, TYPES, type TypeName } from './ggml.ts';
import { randomActivations, randomAttention, randomWeights } from './weights.ts';

// Prints, as JSON, how far ggml's results with Paddock's kernels are from its results with its own kernels. An argument
// names the library. It is a process of its own because the library replaces functions of ggml in the process that
// opens it.

/** How a product with Paddock's kernels compares with ggml's own. */
export interface Agreement {
  type: TypeName;
  experts: boolean;
  columns: number;
  /** The root of the mean square difference, as a part of the root of the mean square. */
  difference: number;
  /**
   * Products that Paddock's kernels computed, of the one that was asked for: one for each expert that has columns
   * enough.
   */
  products: number;
}

/** How attention with Paddock's kernels compares with ggml's own. */
export interface AttentionAgreement extends AttentionShape {
  difference: number;
  /** Attentions that Paddock's kernels computed, of the one that was asked for. */
  attentions: number;
}

/** The attention of the last of several tokens, computed with them and alone, where it has fewer rows. */
export interface AloneAgreement extends AttentionShape {
  difference: number;
  /** True if both are the same bits when sums keep one order. */
  same: boolean;
}

/** All that is printed. */
export interface Agreements {
  products: Agreement[];
  attentions: AttentionAgreement[];
  alone: AloneAgreement[];
}

const [, , file = ''] = process.argv;
const THREADS = 2;
const ggml = await openGgml(file, THREADS);
const shapes = (Object.keys(TYPES) as TypeName[]).flatMap((type): Shape[] => [
  ...[1, 2, 5, 37].map((columns) => ({ type, rows: 72, depth: 768, columns })),
  { type, rows: 40, depth: 512, columns: 23, experts: { count: 5, used: 2 } },
]);
const attended: AttentionShape[] = [
  { depth: 64, heads: 14, keyHeads: 2, sequences: 3, tokens: 1, keys: 256 },
  { depth: 128, heads: 8, keyHeads: 8, sequences: 1, tokens: 1, keys: 1024 },
  { depth: 128, heads: 8, keyHeads: 2, sequences: 1, tokens: 100, keys: 512 },
  { depth: 96, heads: 3, keyHeads: 1, sequences: 2, tokens: 9, keys: 256 },
  { depth: 128, heads: 8, keyHeads: 2, sequences: 1, tokens: 32, keys: 1024, together: 16 },
  { depth: 64, heads: 14, keyHeads: 2, sequences: 1, tokens: 9, keys: 512, together: 3 },
  { depth: 128, heads: 2, keyHeads: 1, sequences: 2, tokens: 64, keys: 256, together: 2 },
  // A head of a length that the kernels leave to ggml.
  { depth: 80, heads: 4, keyHeads: 4, sequences: 1, tokens: 7, keys: 256 },
];
/** Alone, the last token has 1 to 9 rows for each head of keys. */
const alone = [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((group): AttentionShape[] =>
  [64, 96, 128].map((depth) => ({ depth, heads: 2 * group, keyHeads: 2, sequences: 1, tokens: 64, keys: 512 })),
);
const products = shapes.map(compare);
const attentions = attended.map(compareAttention);
const differences = alone.map(compareAlone);
ggml.keepOrder();
const same = alone.map((shape) => compareAlone(shape) === 0);
const agreements: Agreements = {
  products,
  attentions,
  alone: alone.map((shape, i) => ({ ...shape, difference: differences[i] ?? Number.NaN, same: same[i] ?? false })),
};
process.stdout.write(`${JSON.stringify(agreements)}\n`);
process.exit(0);

function compare(shape: Shape): Agreement {
  const { type, rows, depth, columns, experts } = shape;
  const weights = randomWeights(type, rows * depth * (experts?.count ?? 1));
  // Expert 4 gets one column alone, which is too few for a kernel.
  const ids = experts && Int32Array.from({ length: columns * experts.used }, (_, i) => (i === 6 ? 4 : i % 4));
  const graph = ggml.graph(shape, weights, randomActivations(depth * columns), ids);
  const { difference, counted } = differenceOf(graph, () => ggml.products(TYPES[type].type));
  return { type, experts: experts !== undefined, columns, difference, products: counted };
}

function compareAttention(shape: AttentionShape): AttentionAgreement {
  const { difference, counted } = differenceOf(ggml.attention(shape, randomAttention(shape)), ggml.attentions);
  return { ...shape, difference, attentions: counted };
}

/** Returns the difference between the attention of the last token, alone, and with the others. */
function compareAlone(shape: AttentionShape): number {
  const { depth, heads, keys, tokens } = shape;
  const parts = randomAttention(shape);
  /** Of each head, the numbers of the last token. */
  const queries = parts.queries.filter((_, i) => Math.floor(i / depth) % tokens === tokens - 1);
  const one = { ...parts, queries, mask: parts.mask.slice(-keys) };
  const all = ggml.attention(shape, parts);
  const last = ggml.attention({ ...shape, tokens: 1 }, one);
  const difference = relative(resultsOf(last, 'best'), resultsOf(all, 'best').slice(depth * heads * (tokens - 1)));
  all.free();
  last.free();
  return difference;
}

function resultsOf(graph: Graph, kernels: string): Float32Array {
  ggml.select(kernels);
  graph.compute();
  return graph.results();
}

/** Computes a graph with both kernels. Returns the difference, and how much Paddock's have counted meanwhile. */
function differenceOf(graph: Graph, count: () => number): { difference: number; counted: number } {
  const theirs = resultsOf(graph, 'off');
  const before = count();
  const ours = resultsOf(graph, 'best');
  const counted = count() - before;
  graph.free();
  return { difference: relative(ours, theirs), counted };
}

/** Returns the difference of two results, relative to the second. */
function relative(ours: Float32Array, theirs: Float32Array): number {
  const square = (sum: number, x: number) => sum + x * x;
  const error = ours.map((x, i) => x - (theirs[i] ?? Number.NaN)).reduce(square, 0);
  return Math.sqrt(error / theirs.reduce(square, 0));
}
