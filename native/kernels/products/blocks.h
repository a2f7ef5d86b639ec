#pragma once

// Kernels for weights in blocks of 32 with one scale (Q8_0, Q5_0, Q4_0, IQ4_NL), times activations in Q8_0.

#include "dots.h"

namespace paddock {
namespace {

/** Unpacks Q8_0. Every format gives bytes of BITS bits that are the weight plus OFFSET. */
struct FromQ8_0 {
  static constexpr size_t BYTES = Q8_0_BYTES;
  static constexpr int BITS = 8, OFFSET = Vector::OFFSET_8;

  template <class R>
  INLINE void values(Vector::I out[8], const R &rows) {
    Vector::gather(out, rows, Q8_0_VALUES);
    Vector::gather(out + 4, rows, Q8_0_VALUES + 16);
    if (OFFSET) {
      const Vector::I offset = Vector::set(static_cast<int32_t>(0x80808080));
      UNROLL for (int t = 0; t < 8; t++) out[t] = Vector::bit_xor(out[t], offset);
    }
  }
};

/** Separates 16 bytes into the 16 numbers of their low halves and the 16 of their high halves. */
template <class R>
INLINE void halves(Vector::I out[8], const R &rows, size_t at) {
  const Vector::I low = Vector::set(0x0f0f0f0f);
  Vector::gather(out, rows, at);
  UNROLL for (int t = 0; t < 4; t++) {
    out[t + 4] = Vector::bit_and(Vector::right<4>(out[t]), low);
    out[t] = Vector::bit_and(out[t], low);
  }
}

struct FromQ4_0 {
  static constexpr size_t BYTES = Q4_0_BYTES;
  static constexpr int BITS = 4, OFFSET = 8;

  template <class R>
  INLINE void values(Vector::I out[8], const R &rows) { halves(out, rows, Q4_0_VALUES); }
};

struct FromQ5_0 {
  static constexpr size_t BYTES = Q5_0_BYTES;
  static constexpr int BITS = 5, OFFSET = 16;

  template <class R>
  INLINE void values(Vector::I out[8], const R &rows) {
    using V = Vector;
    halves(out, rows, Q5_0_VALUES);
    V::I from_high[4];
    V::gather(from_high, rows, Q5_0_HIGH);
    V::I high = from_high[0];
    UNROLL for (int t = 0; t < 8; t++) {
      // The factor puts a copy of four bits at bits 0, 7, 14 and 21, so that bits 0, 8, 16 and 24 are the first to the
      // fourth.
      const V::I four = V::mul_32(V::bit_and(high, V::set(15)), V::set(0x00204081));
      out[t] = V::bit_or(out[t], V::left<4>(V::bit_and(four, V::set(0x01010101))));
      high = V::right<4>(high);
    }
  }
};

/** What the kernels of all these formats share: how a panel lies in memory, and the products. */
template <bool OFFSET, int BITS>
struct BlockTiles {
  using V = Vector;
  static constexpr int COLUMNS = V::COLUMNS;
  /** Numbers of a row in a panel. */
  static constexpr int64_t DEPTH = 1024;

  struct Panel {
    int32_t values[DEPTH / 4][V::STRIPS][V::LANES];
    float scales[DEPTH / BLOCK][V::STRIPS][V::LANES];
  };

  /**
   * What is computed once of one block of each column of a tile: its scale, and the sum that takes the offset off
   * again.
   */
  struct Side {
    float scale[COLUMNS];
    int32_t offset[COLUMNS];
  };
  static constexpr int64_t SIDE_DEPTH = BLOCK;
  static constexpr int64_t SIDES = 240 / COLUMNS * (DEPTH / SIDE_DEPTH);

  template <int C>
  static __attribute__((noinline)) void tile(const Panel &panel, const Side *side, const char *const *in, int64_t depth,
                                             const Results &results, const NextPanel &next) {
    constexpr int S = V::STRIPS;
    const char *b[C];
    UNROLL for (int j = 0; j < C; j++) b[j] = in[j] + Q8_0_VALUES;
    V::F total[C][S];
    UNROLL for (int j = 0; j < C; j++)
      UNROLL for (int s = 0; s < S; s++) total[j][s] = V::zero_f();

    const int64_t blocks = depth / BLOCK;
    for (int64_t block = 0; block < blocks; block++, side++) {
      next.ask(block);
      V::I sum[C][S];
      UNROLL for (int j = 0; j < C; j++)
        UNROLL for (int s = 0; s < S; s++) sum[j][s] = OFFSET ? V::set(side->offset[j]) : V::zero();
      dots<BITS, 8, C>(sum, panel.values[block * 8], b, 0);
      UNROLL for (int j = 0; j < C; j++) {
        const V::F scale = V::set_f(side->scale[j]);
        UNROLL for (int s = 0; s < S; s++) {
          const V::F both = V::mul(scale, V::load_f(panel.scales[block][s]));
          total[j][s] = V::mul_add(V::to_float(sum[j][s]), both, total[j][s]);
        }
        b[j] += Q8_0_BYTES;
      }
    }
    alignas(64) float sums[C][S][V::LANES];
    UNROLL for (int j = 0; j < C; j++)
      UNROLL for (int s = 0; s < S; s++) V::store_f(sums[j][s], total[j][s]);
    Results::put(results, C, sums[0][0]);
  }
};

template <class Format>
struct Blocks : BlockTiles<Format::OFFSET != 0, Vector::SUMS<Format::BITS> == 0 ? 8 : Format::BITS> {
  using V = Vector;
  using Tiles = BlockTiles<Format::OFFSET != 0, Vector::SUMS<Format::BITS> == 0 ? 8 : Format::BITS>;
  using Panel = typename Tiles::Panel;
  using Side = typename Tiles::Side;

  INLINE size_t weight_bytes(int64_t k) { return k / BLOCK * Format::BYTES; }
  INLINE size_t input_bytes(int64_t k) { return k / BLOCK * Q8_0_BYTES; }

  static void prepare(Side *side, int j, const char *in, int64_t depth) {
    for (int64_t b = 0; b < depth / BLOCK; b++, in += Q8_0_BYTES) {
      side[b].scale[j] = half(in);
      if (Format::OFFSET) side[b].offset[j] = -Format::OFFSET * sum32(in + Q8_0_VALUES);
    }
  }

  template <class R>
  static __attribute__((noinline)) void pack(Panel &panel, int strip, R rows, Prefetcher prefetcher, int64_t depth) {
    uint16_t scales[Tiles::DEPTH / BLOCK][V::LANES];
    const int64_t blocks = depth / BLOCK;
    for (int64_t b = 0; b < blocks; b++) {
      const int64_t at = b * Format::BYTES;
      if (at % 64 < static_cast<int64_t>(Format::BYTES)) prefetcher.ask(rows, at, 0);
      V::I out[8];
      Format::values(out, rows);
      UNROLL for (int t = 0; t < 8; t++) V::store(panel.values[b * 8 + t][strip], out[t]);
      for (int r = 0; r < V::LANES; r++) __builtin_memcpy(&scales[b][r], rows.at(r), 2);
      rows.advance(Format::BYTES);
    }
    // In a loop of its own: a vector cannot be read soon after its parts were written one by one.
    for (int64_t b = 0; b < blocks; b++) V::store_f(panel.scales[b][strip], V::load_half(scales[b]));
  }
};

}  // namespace
}  // namespace paddock
