#pragma once

// A tile for any number of rows: its keys and then its values are unpacked into panels, which all rows read. A row's sums
// have one order, whichever rows are computed beside it and however wide a vector is.

#include "cells.h"

namespace paddock {
namespace {

/**
 * Unpacks the keys of a panel. Asks the memory for those of the next one and for the values of this one meanwhile: the
 * processor does not foresee reads of so many rows.
 */
template <class Cells>
INLINE void pack_keys(Desk &desk, const Head<Cells> &head, int64_t k, int64_t depth) {
  using V = Vector;
  for (int s = 0; s < V::STRIPS; s++, k += V::LANES) {
    const Strip<Cells> rows(head, k);
    for (int64_t d = 0; d < depth; d += 8) {
      if (d % 32 == 0) {
        UNROLL for (int r = 0; r < V::LANES; r++) {
          __builtin_prefetch(rows.at(r) + WIDTH * head.key_stride + 2 * d);
          __builtin_prefetch(head.value(k + r) + 2 * d);
        }
      }
      V::I lanes[4];
      V::gather(lanes, rows, 2 * d);
      UNROLL for (int t = 0; t < 4; t++) {
        V::F two[2];
        FromF16::pair(two, lanes[t]);
        V::store_f(desk.panel[d + 2 * t][s], two[0]);
        V::store_f(desk.panel[d + 2 * t + 1][s], two[1]);
      }
    }
  }
}

/** Unpacks WIDTH numbers of each value of a tile, from number `d` on. */
template <class Cells>
INLINE void pack_values(Desk &desk, const Head<Cells> &head, int64_t d) {
  using V = Vector;
  for (int64_t k = 0; k < KEYS; k++) {
    const auto *halves = reinterpret_cast<const uint16_t *>(head.value(k)) + d;
    UNROLL for (int s = 0; s < V::STRIPS; s++) V::store_f(desk.panel[k][s], V::load_half(halves + s * V::LANES));
  }
}

/** Multiplies C rows by a panel of `depth` vectors; `ADD` adds that to what is there. Strides are in numbers. */
template <int C, bool ADD>
static __attribute__((noinline)) void multiply(const float *left, int64_t left_stride, const Desk &desk, int64_t depth,
                                               float *out, int64_t out_stride) {
  using V = Vector;
  constexpr int S = V::STRIPS;
  V::F total[C][S];
  UNROLL for (int j = 0; j < C; j++)
    UNROLL for (int s = 0; s < S; s++)
      total[j][s] = ADD ? V::load_f(out + j * out_stride + s * V::LANES) : V::zero_f();
  for (int64_t k = 0; k < depth; k++) {
    V::F w[S];
    UNROLL for (int s = 0; s < S; s++) w[s] = V::load_f(desk.panel[k][s]);
    UNROLL for (int j = 0; j < C; j++) {
      const V::F x = V::set_f(left[j * left_stride + k]);
      UNROLL for (int s = 0; s < S; s++) total[j][s] = V::mul_add(w[s], x, total[j][s]);
    }
  }
  UNROLL for (int j = 0; j < C; j++)
    UNROLL for (int s = 0; s < S; s++) V::store_f(out + j * out_stride + s * V::LANES, total[j][s]);
}

template <bool ADD, int C = Vector::FLOAT_COLUMNS>
INLINE void multiply_some(int64_t rows, const float *left, int64_t left_stride, const Desk &desk, int64_t depth,
                          float *out, int64_t out_stride) {
  if constexpr (C > 1) {
    if (rows < C) return multiply_some<ADD, C - 1>(rows, left, left_stride, desk, depth, out, out_stride);
  }
  multiply<C, ADD>(left, left_stride, desk, depth, out, out_stride);
}

/** Multiplies all rows by the panel, in tiles of nearly the same number of rows. */
template <bool ADD>
INLINE void multiply_all(int64_t rows, const float *left, int64_t left_stride, const Desk &desk, int64_t depth,
                         float *out, int64_t out_stride) {
  const int64_t tiles = up(rows, Vector::FLOAT_COLUMNS);
  for (int64_t tile = 0; tile < tiles; tile++) {
    const int64_t first = rows * tile / tiles, end = rows * (tile + 1) / tiles;
    multiply_some<ADD>(end - first, left + first * left_stride, left_stride, desk, depth, out + first * out_stride,
                       out_stride);
  }
}

/** Computes a tile for any number of rows. */
template <class Cells>
static void attend_many(const Block &block, Desk &desk, Cells cells) {
  const int64_t rows = block.rows(), key_depth = block.a.key_depth, value_depth = block.a.value_depth;
  const Head<Cells> head(block, cells);
  for (int64_t k = 0; k < KEYS; k += WIDTH) {
    pack_keys(desk, head, k, key_depth);
    multiply_all<false>(rows, desk.queries, key_depth, desk, key_depth, desk.scores + k, KEYS);
  }
  weigh_all(block, desk);
  for (int64_t d = 0; d < value_depth; d += WIDTH) {
    pack_values(desk, head, d);
    multiply_all<true>(rows, desk.scores, KEYS, desk, KEYS, desk.sums + d, value_depth);
  }
}

}  // namespace
}  // namespace paddock
