import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../src/package-root.ts';
import { type AttentionShape, type Ggml, type Graph, openGgml, type Shape, TYPES, type TypeName } from './ggml.ts';
import { randomActivations, randomAttention, randomWeights } from './weights.ts';

// Prints the speed of one product for each type of weights and number of columns, and of attention for each number of
// keys: with ggml's own kernels and with Paddock's. One thread computes. The time is CPU time and the best of many runs, so that other processes of the
// machine disturb little.

const { values } = parseArgs({
  options: {
    library: {
      type: 'string',
      default: fileURLToPath(new URL('native/prebuilt/linux-x64/libpaddock-kernels.so', packageRoot())),
    },
    kernels: { type: 'string', default: 'best' },
    types: { type: 'string', default: Object.keys(TYPES).join() },
    columns: { type: 'string', default: '1,2,4,8,16,64,512' },
    rows: { type: 'string', default: '896' },
    depth: { type: 'string', default: '4864' },
    /** Milliseconds for each figure. */
    ms: { type: 'string', default: '300' },
  },
});

/** The heads of queries and of keys, and their numbers: the models of 0.5B, 0.6B and 7B of `npm run bench`. */
const HEADS = [
  { heads: 14, keyHeads: 2, depth: 64 },
  { heads: 16, keyHeads: 8, depth: 128 },
  { heads: 28, keyHeads: 4, depth: 128 },
];
const KEYS = [256, 1024, 4096];
const COLUMNS = values.columns.split(',').map(Number);
const ggml = await openGgml(values.library, 1);
if (!ggml.select(values.kernels)) throw new Error(`this processor can't run the kernels ${values.kernels}`);

print(`${cpus()[0]?.model}, ${values.rows} x ${values.depth} weights, one thread, 10^9 products a second\n`);
print(`| weights | kernels |${COLUMNS.map((columns) => ` ${columns} |`).join('')}`);
print(`|---|---|${COLUMNS.map(() => '---|').join('')}`);
for (const type of values.types.split(',') as TypeName[]) {
  const isRepacked = type === 'Q4_K' || type === 'Q4_0';
  row(type, "ggml's", 'off', false);
  if (isRepacked) row(type, "ggml's, repacked", 'off', true);
  row(type, "Paddock's", values.kernels, false);
}
ggml.select(values.kernels);
print(`\nAttention, 10^9 products a second\n`);
print(`| heads | tokens | kernels |${KEYS.map((keys) => ` ${keys} keys |`).join('')}`);
print(`|---|---|---|${KEYS.map(() => '---|').join('')}`);
for (const { heads, keyHeads, depth } of HEADS) {
  for (const { tokens, sequences, together = 1 } of [
    { tokens: 1, sequences: 1 },
    { tokens: 1, sequences: 16 },
    { tokens: 16, sequences: 1, together: 16 },
    { tokens: 64, sequences: 1 },
  ]) {
    const name = together > 1 ? `${tokens} in one cache` : sequences > 1 ? `${sequences} x ${tokens}` : String(tokens);
    for (const [whose, kernels] of [
      ["ggml's", 'off'],
      ["Paddock's", values.kernels],
    ] as const) {
      ggml.select(kernels);
      const speeds = KEYS.map((keys) => attentionSpeed({ heads, keyHeads, depth, tokens, sequences, keys, together }));
      print(
        `| ${heads} of ${depth}, ${keyHeads} | ${name} | ${whose} |${speeds.map((x) => ` ${x.toFixed(1)} |`).join('')}`,
      );
    }
  }
}
ggml.select(values.kernels);
print(`\nIn registers, with the instructions of ${values.kernels}: ${limit(ggml).toFixed(0)}`);
process.exit(0);

function row(type: TypeName, name: string, kernels: string, repack: boolean): void {
  ggml.select(kernels);
  const speeds = COLUMNS.map((columns) =>
    speed({ type, rows: Number(values.rows), depth: Number(values.depth), columns, repack }),
  );
  print(`| ${type} | ${name} |${speeds.map((figure) => ` ${figure.toFixed(1)} |`).join('')}`);
}

function speed(shape: Shape): number {
  const { rows, depth, columns } = shape;
  const graph = ggml.graph(shape, randomWeights(shape.type, rows * depth), randomActivations(depth * columns));
  return speedOf(graph, rows * depth * columns);
}

/** Scores and sums together. The products with keys that a token does not see do not count. */
function attentionSpeed(shape: AttentionShape): number {
  const { heads, depth, sequences, tokens, keys, together = 1 } = shape;
  const seen = (tokens * (keys - (tokens - 1) / 2)) / together;
  return speedOf(ggml.attention(shape, randomAttention(shape)), 2 * heads * depth * sequences * seen);
}

/** Returns the products a second, in 10^9. Frees the graph. */
function speedOf(graph: Graph, products: number): number {
  try {
    return products / best(() => graph.compute()) / 1e9;
  } finally {
    graph.free();
  }
}

function limit({ limit: multiply }: Ggml): number {
  let products = 0;
  const seconds = best(() => {
    products = multiply(100_000);
  });
  return products / seconds / 1e9;
}

/** Returns the least CPU time of many runs, in seconds. */
function best(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  const end = performance.now() + Number(values.ms);
  for (let runs = 0; runs < 3 || performance.now() < end; runs++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1e6);
  }
  return least;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
