import { readFileSync, writeFileSync } from 'node:fs';

/** The sizes of the model, by their names in training/model.py. */
export interface ModelConfig {
  width: number;
  hidden: number;
  layers: number;
  heads: number;
  vocabulary: number;
  frequencyBase: number;
  epsilon: number;
}

export interface Matrix {
  /** The rows and columns of a matrix, or the length of a vector. */
  shape: number[];
  /** Row by row. */
  values: Float32Array;
}

export interface Weights {
  config: ModelConfig;
  matrices: Map<string, Matrix>;
}

interface Header {
  config: ModelConfig;
  tensors: { name: string; shape: number[] }[];
}

/**
 * Reads the weights that training/model.py saves: the length of a JSON header, the header, then float32 values in the
 * order of the header.
 */
export function readWeights(path: string): Weights {
  const file = readFileSync(path);
  const length = file.readUInt32LE(0);
  const header = JSON.parse(file.toString('utf8', 4, 4 + length)) as Header;
  let at = 4 + length;
  const matrices = new Map<string, Matrix>();
  for (const { name, shape } of header.tensors) {
    const bytes = 4 * elements(shape);
    // A copy, because float32 arrays must begin at a multiple of four bytes.
    const values = new Float32Array(file.buffer.slice(file.byteOffset + at, file.byteOffset + at + bytes));
    matrices.set(name, { shape, values });
    at += bytes;
  }
  return { config: header.config, matrices };
}

/** Writes weights in the form that training/model.py loads. */
export function writeWeights(path: string, { config, matrices }: Weights): void {
  const tensors = [...matrices].map(([name, { shape }]) => ({ name, shape }));
  const header = Buffer.from(JSON.stringify({ config, tensors } satisfies Header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  const values = [...matrices.values()].map(({ values }) =>
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
  );
  writeFileSync(path, Buffer.concat([length, header, ...values]));
}

/**
 * Returns the weighted mean of two sets of weights with the same shapes: `share` of `next`, and the rest of `previous`.
 */
export function mixWeights(previous: Weights, next: Weights, share: number): Weights {
  const matrices = [...next.matrices].map(([name, { shape, values }]) => {
    const before = findMatrix(previous, name).values;
    const mixed = values.map((value, index) => share * value + (1 - share) * (before[index] ?? 0));
    return [name, { shape, values: mixed }] as const;
  });
  return { config: next.config, matrices: new Map(matrices) };
}

/** Returns the number of elements of a matrix with this shape. */
export function elements(shape: number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Returns a matrix by its name. Throws if there is none. */
export function findMatrix({ matrices }: Weights, name: string): Matrix {
  const matrix = matrices.get(name);
  if (!matrix) throw new Error(`the weights have no ${name}`);
  return matrix;
}

/** Returns `count` rows of a matrix from `start` on. */
export function rowsOf({ shape: [, columns = 1], values }: Matrix, start: number, count: number): Matrix {
  return { shape: [count, columns], values: values.subarray(start * columns, (start + count) * columns) };
}

/** Joins matrices with the same number of columns, one below the other. */
export function stack(matrices: Matrix[]): Matrix {
  const columns = matrices[0]?.shape[1] ?? 1;
  const values = new Float32Array(matrices.reduce((total, one) => total + one.values.length, 0));
  let at = 0;
  for (const one of matrices) {
    values.set(one.values, at);
    at += one.values.length;
  }
  return { shape: [values.length / columns, columns], values };
}
