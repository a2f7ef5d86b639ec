#pragma once

// The loops around a kernel: each thread takes a part of the product, packs some rows of weights into a panel on its
// stack, and multiplies the panel by all columns. So a weight is unpacked once for many columns, and the weights have
// no second copy in memory.

#include "../product.h"

namespace paddock {
namespace {

/** The part of a product that one thread computes. */
struct Share {
  int64_t row, row_end, column, column_end;
};

INLINE int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }
INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/** Packing a strip takes as long as computing about so many tiles of it. */
constexpr int64_t PACKING = 3;

/**
 * Divides the product into a grid of as many parts as there are threads: rows alone if there are enough of them, or
 * else columns too.
 */
static Share share_of(const Product &p, int64_t lanes, int64_t tile) {
  const int64_t strips = up(p.rows, lanes), tiles = up(p.columns, tile);
  int64_t best = 0, best_cost = INT64_MAX;
  for (int64_t down = p.threads; down >= 1; down--) {
    if (p.threads % down) continue;
    const int64_t cost = up(strips, down) * (up(tiles, p.threads / down) + PACKING);
    if (cost < best_cost) best = down, best_cost = cost;
  }
  const int64_t across = p.threads / best, i = p.thread % best, j = p.thread / best;
  return {strips * i / best * lanes, least(strips * (i + 1) / best * lanes, p.rows), tiles * j / across * tile,
          least(tiles * (j + 1) / across * tile, p.columns)};
}

/** The rows of a full strip, which lie one stride apart. */
struct Rows {
  const char *four[Vector::LANES / 4];
  size_t stride;

  Rows(const char *start, size_t stride) : stride(stride) {
    for (int i = 0; i < Vector::LANES / 4; i++) four[i] = start + 4 * i * stride;
  }
  INLINE_MEMBER const char *at(int row) const { return four[row / 4] + row % 4 * stride; }
  INLINE_MEMBER void advance(size_t bytes) {
    UNROLL for (int i = 0; i < Vector::LANES / 4; i++) four[i] += bytes;
  }
};

/** The rows of a strip of which fewer exist: the last one takes the place of those behind it. */
struct FewRows {
  const char *each[Vector::LANES];

  FewRows(const char *start, size_t stride, int64_t count) {
    for (int i = 0; i < Vector::LANES; i++) each[i] = start + least(i, count - 1) * stride;
  }
  INLINE_MEMBER const char *at(int row) const { return each[row]; }
  INLINE_MEMBER void advance(size_t bytes) {
    for (int i = 0; i < Vector::LANES; i++) each[i] += bytes;
  }
};

/** How many bytes of a row are asked for before they are read. */
constexpr int64_t AHEAD = 512;

/**
 * Asks the memory for what is packed soon. The processor does not foresee reads that alternate between so many rows.
 * Behind the end of a row comes the start of the row that is in its place in the next panel. Nothing happens if there
 * is none.
 */
struct Prefetcher {
  /** Bytes that are left of a row, and from its end to the start of that other row. */
  int64_t left;
  int64_t jump;

  /**
   * Asks for one line of the cache of each row, `at` bytes behind what is packed now and then AHEAD. Not for many at
   * once: they queue.
   */
  template <class R>
  INLINE_MEMBER void ask(const R &rows, int64_t packed, int64_t at) const {
    const int64_t offset = at + AHEAD;
    const int64_t to = offset + (packed + offset < left ? 0 : jump);
    UNROLL for (int r = 0; r < Vector::LANES; r++) __builtin_prefetch(rows.at(r) + to);
  }
};

/**
 * Asks the memory for the next panel while the tiles of this one are computed: with few columns the memory decides the
 * speed, and must not be idle meanwhile. Each tile asks for some rows, and at each of its steps for as many bytes of
 * them as a step has in the panel: the requests of many lines at once would queue.
 */
struct NextPanel {
  const char *start;
  size_t stride;
  int64_t rows;
  /** Bytes of a row that one step of a tile stands for. */
  int64_t step_bytes;

  /** The rows that the tile number `tile` of `tiles` asks for. */
  INLINE_MEMBER NextPanel part(int64_t tile, int64_t tiles) const {
    const int64_t first = rows * tile / tiles;
    return {start + first * stride, stride, rows * (tile + 1) / tiles - first, step_bytes};
  }

  INLINE_MEMBER void ask(int64_t step) const {
    for (int64_t line = up(step * step_bytes, 64); line < up((step + 1) * step_bytes, 64); line++) {
      for (int64_t r = 0; r < rows; r++) __builtin_prefetch(start + r * stride + line * 64);
    }
  }
};

/** Where a tile's results go. */
struct Results {
  float *out[Vector::FLOAT_COLUMNS];
  /** Rows that exist, of all strips of the panel. */
  int rows;
  /** True if they are added to what is there. */
  bool add;

  /**
   * Writes the results of some columns, which lie behind each other with all strips. Not inline: each tile would have
   * its own copy.
   */
  static __attribute__((noinline)) void put(const Results &r, int columns, const float *sums) {
    using V = Vector;
    for (int j = 0; j < columns; j++) {
      for (int s = 0; s < V::STRIPS; s++, sums += V::LANES) {
        const int left = r.rows - s * V::LANES;
        float *at = r.out[j] + s * V::LANES;
        V::F sum = V::load_f(sums);
        if (left >= V::LANES) {
          if (r.add) sum = V::add_f(V::load_f(at), sum);
          V::store_f(at, sum);
        } else if (left > 0) {
          if (r.add) sum = V::add_f(V::load_first(at, left), sum);
          V::store_first(at, sum, left);
        }
      }
    }
  }
};

/** Calls the tile with the number of columns that are left, which the compiler must know. */
template <class K, int C = K::COLUMNS>
INLINE void tile_of(int64_t columns, const typename K::Panel &panel, const typename K::Side *side,
                    const char *const *in, int64_t depth, const Results &results, const NextPanel &next) {
  if constexpr (C > 1) {
    if (columns < C) return tile_of<K, C - 1>(columns, panel, side, in, depth, results, next);
  }
  K::Tiles::template tile<C>(panel, side, in, depth, results, next);
}

template <class K>
static void run(const Product &p) {
  using V = Vector;
  constexpr int64_t PANEL_ROWS = V::LANES * V::STRIPS;
  // Aligned to a line of the cache. It is not set to 0: what a kernel reads was written before.
  alignas(64) typename K::Panel panel;
  alignas(64) typename K::Side sides[K::SIDES];

  const Share share = share_of(p, V::LANES, K::COLUMNS);
  const int64_t columns = share.column_end - share.column;
  if (columns <= 0 || share.row >= share.row_end) return;
  // If what the kernel needs of all columns fits, it is prepared once, and the rows are read from start to end.
  const bool whole = up(columns, K::COLUMNS) * up(p.depth, K::SIDE_DEPTH) <= K::SIDES;
  const int64_t deep = whole ? p.depth : least(p.depth, K::DEPTH);
  const int64_t side_length = up(deep, K::SIDE_DEPTH);
  const int64_t wide = K::SIDES / side_length * K::COLUMNS;

  for (int64_t k = 0; k < p.depth; k += deep) {
    const int64_t k_end = least(k + deep, p.depth);
    for (int64_t column = share.column; column < share.column_end; column += wide) {
      const int64_t column_end = least(column + wide, share.column_end);
      for (int64_t c = column; c < column_end; c++) {
        const int64_t i = c - column;
        K::prepare(sides + i / K::COLUMNS * side_length, static_cast<int>(i % K::COLUMNS),
                   p.activations.input(c) + K::input_bytes(k), k_end - k);
      }
      for (int64_t row = share.row; row < share.row_end; row += PANEL_ROWS) {
        Results results;
        results.rows = static_cast<int>(least(PANEL_ROWS, share.row_end - row));
        for (int64_t step = k; step < k_end; step += K::DEPTH) {
          const int64_t depth = least(K::DEPTH, k_end - step);
          for (int strip = 0; strip < V::STRIPS; strip++) {
            // A strip without any row repeats the last one, and its results are not written.
            const int64_t first = least(row + strip * V::LANES, p.rows - 1), count = p.rows - first;
            const char *start = p.weights + first * p.row_stride + K::weight_bytes(step);
            const int64_t left = K::weight_bytes(p.depth - step);
            const int64_t jump = PANEL_ROWS * p.row_stride - K::weight_bytes(p.depth);
            const Prefetcher prefetcher{left, jump};
            if (count >= V::LANES) {
              K::pack(panel, strip, Rows(start, p.row_stride), prefetcher, depth);
            } else {
              K::pack(panel, strip, FewRows(start, p.row_stride, count), prefetcher, depth);
            }
          }
          results.add = step > 0;
          const bool turns = step + K::DEPTH >= k_end;
          const int64_t next_row = turns ? row + PANEL_ROWS : row, next_step = turns ? k : step + K::DEPTH;
          const int64_t next_rows = next_row < share.row_end ? least(PANEL_ROWS, share.row_end - next_row) : 0;
          const char *next_start = p.weights + next_row * p.row_stride + K::weight_bytes(next_step);
          const auto step_bytes = static_cast<int64_t>(K::weight_bytes(K::SIDE_DEPTH));
          const NextPanel next{next_start, p.row_stride, next_rows, step_bytes};
          const int64_t tiles = up(column_end - column, K::COLUMNS);
          for (int64_t c = column; c < column_end; c += K::COLUMNS) {
            const int64_t count = least(K::COLUMNS, column_end - c);
            const char *in[K::COLUMNS];
            for (int64_t j = 0; j < count; j++) {
              in[j] = p.activations.input(c + j) + K::input_bytes(step);
              results.out[j] = p.activations.output(c + j) + row;
            }
            const int64_t tile = (c - column) / K::COLUMNS;
            tile_of<K>(count, panel, sides + tile * side_length + (step - k) / K::SIDE_DEPTH, in, depth, results,
                       next.part(tile, tiles));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace paddock
