/** Embeddings that take the place of tokens in a forward pass, in the order of the tokens. */
export interface MediaRows {
  /** `width` numbers for each token. */
  readonly embeddings: Float32Array;
  readonly width: number;
  /** The index of the first of these tokens in the piece that they are a part of. */
  readonly offset: number;
  /**
   * For M-RoPE: four positions of each token, counted from that of the piece: all first ones, then all second ones, and
   * so on. null if each token has the next position.
   */
  readonly grid: Int32Array | null;
  /** True if the tokens attend to one another in both directions. */
  readonly bothWays: boolean;
}

/** The number of positions that M-RoPE gives a token. The last one is not counted from the piece's. */
export const GRID_DIMENSIONS = 4;

/** Returns the rows of the tokens from `from` to before `to`. */
export function sliceRows(rows: MediaRows, from: number, to: number): MediaRows {
  const { embeddings, width, offset, grid } = rows;
  const count = embeddings.length / width;
  return {
    ...rows,
    embeddings: embeddings.subarray(from * width, to * width),
    offset: offset + from,
    grid:
      grid &&
      Int32Array.from(
        Array.from({ length: GRID_DIMENSIONS }, (_, dimension) => [
          ...grid.subarray(dimension * count + from, dimension * count + to),
        ]).flat(),
      ),
  };
}
