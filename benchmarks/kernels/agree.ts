import { openGgml, type Shape, TYPES, type TypeName } from './ggml.ts';
import { randomActivations, randomWeights } from './weights.ts';

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

const [, , file = ''] = process.argv;
const ggml = await openGgml(file, 2);
const shapes = (Object.keys(TYPES) as TypeName[]).flatMap((type): Shape[] => [
  ...[1, 2, 5, 37].map((columns) => ({ type, rows: 72, depth: 768, columns })),
  { type, rows: 40, depth: 512, columns: 23, experts: { count: 5, used: 2 } },
]);
const results = shapes.map(compare);
process.stdout.write(`${JSON.stringify(results)}\n`);
process.exit(0);

function compare(shape: Shape): Agreement {
  const { type, rows, depth, columns, experts } = shape;
  const weights = randomWeights(type, rows * depth * (experts?.count ?? 1));
  // Expert 4 gets one column alone, which is too few for a kernel.
  const ids = experts && Int32Array.from({ length: columns * experts.used }, (_, i) => (i === 6 ? 4 : i % 4));
  const graph = ggml.graph(shape, weights, randomActivations(depth * columns), ids);
  const compute = (kernels: string) => {
    ggml.select(kernels);
    graph.compute();
    return graph.results();
  };
  const theirs = compute('off');
  const before = ggml.products(TYPES[type].type);
  const ours = compute('best');
  const products = ggml.products(TYPES[type].type) - before;
  graph.free();
  const square = (sum: number, x: number) => sum + x * x;
  const error = ours.map((x, i) => x - (theirs[i] ?? Number.NaN)).reduce(square, 0);
  return {
    type,
    experts: experts !== undefined,
    columns,
    difference: Math.sqrt(error / theirs.reduce(square, 0)),
    products,
  };
}
