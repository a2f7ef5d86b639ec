#pragma once

// Kernels for weights in 16-bit floats (F16, BF16), times activations in 32-bit floats or in 16-bit floats of the
// weights' kind.

#include "dots.h"

namespace paddock {
namespace {

struct FromF16 {
  /** Two numbers of each row, which lie in one lane. */
  INLINE void pair(Vector::F out[2], Vector::I lanes) {
    out[0] = Vector::half_of_lanes(lanes);
    out[1] = Vector::half_of_lanes(Vector::right<16>(lanes));
  }
  INLINE float one(const char *p) { return half(p); }
};

struct FromBF16 {
  INLINE void pair(Vector::F out[2], Vector::I lanes) {
    out[0] = Vector::as_float(Vector::left<16>(lanes));
    out[1] = Vector::as_float(Vector::bit_and(lanes, Vector::set(static_cast<int32_t>(0xffff0000))));
  }
  INLINE float one(const char *p) {
    uint16_t upper;
    __builtin_memcpy(&upper, p, 2);
    const uint32_t bits = static_cast<uint32_t>(upper) << 16;
    float x;
    __builtin_memcpy(&x, &bits, 4);
    return x;
  }
};

/** What the kernels of both formats share: the weights and the activations as 32-bit floats, and the products. */
struct FloatTiles {
  using V = Vector;
  static constexpr int COLUMNS = V::FLOAT_COLUMNS;
  /** Numbers of a row in a panel. */
  static constexpr int64_t DEPTH = 256;

  struct Panel {
    float values[DEPTH][V::STRIPS][V::LANES];
  };

  /** Eight numbers of each column of a tile, in the order in which the kernel reads them. */
  struct Side {
    float values[8][COLUMNS];
  };
  static constexpr int64_t SIDE_DEPTH = 8;
  static constexpr int64_t SIDES = 96 / COLUMNS * (DEPTH / SIDE_DEPTH);

  template <int C>
  static __attribute__((noinline)) void tile(const Panel &panel, const Side *side, const char *const *, int64_t depth,
                                             const Results &results, const NextPanel &next) {
    constexpr int S = V::STRIPS;
    V::F total[C][S];
    UNROLL for (int j = 0; j < C; j++)
      UNROLL for (int s = 0; s < S; s++) total[j][s] = V::zero_f();
    for (int64_t k = 0; k < depth; k += 8, side++) {
      next.ask(k / 8);
      for (int t = 0; t < 8; t++) {
        V::F w[S];
        UNROLL for (int s = 0; s < S; s++) w[s] = V::load_f(panel.values[k + t][s]);
        UNROLL for (int j = 0; j < C; j++) {
          const V::F b = V::set_f(side->values[t][j]);
          UNROLL for (int s = 0; s < S; s++) total[j][s] = V::mul_add(w[s], b, total[j][s]);
        }
      }
    }
    alignas(64) float sums[C][S][V::LANES];
    UNROLL for (int j = 0; j < C; j++)
      UNROLL for (int s = 0; s < S; s++) V::store_f(sums[j][s], total[j][s]);
    Results::put(results, C, sums[0][0]);
  }
};

template <class Format, bool HALF_INPUT>
struct Floats : FloatTiles {
  using Tiles = FloatTiles;

  INLINE size_t weight_bytes(int64_t k) { return 2 * k; }
  INLINE size_t input_bytes(int64_t k) { return (HALF_INPUT ? 2 : 4) * k; }

  static void prepare(Side *side, int j, const char *in, int64_t depth) {
    for (int64_t k = 0; k < depth; k++) {
      float &to = side[k / 8].values[k % 8][j];
      if constexpr (HALF_INPUT) {
        to = Format::one(in + 2 * k);
      } else {
        __builtin_memcpy(&to, in + 4 * k, 4);
      }
    }
  }

  template <class R>
  static __attribute__((noinline)) void pack(Panel &panel, int strip, R rows, Prefetcher prefetcher, int64_t depth) {
    for (int64_t k = 0; k < depth; k += 8, rows.advance(16)) {
      if (k % 32 == 0) prefetcher.ask(rows, 2 * k, 0);
      V::I lanes[4];
      V::gather(lanes, rows, 0);
      UNROLL for (int t = 0; t < 4; t++) {
        V::F two[2];
        Format::pair(two, lanes[t]);
        V::store_f(panel.values[k + 2 * t][strip], two[0]);
        V::store_f(panel.values[k + 2 * t + 1][strip], two[1]);
      }
    }
  }
};

}  // namespace
}  // namespace paddock
