#pragma once

// Kernels for K-quantizations: weights in blocks of 256 whose parts have integer scales, times activations in Q8_K.

#include "dots.h"

namespace paddock {
namespace {

/** The 6-bit scales and minima of Q4_K and Q5_K, from the first 16 bytes of a block of each row. */
template <class Panel, class R>
INLINE void six_bit_scales(Panel &panel, int strip, const R &rows, int64_t super) {
  using V = Vector;
  V::I head[4];
  V::gather(head, rows, 0);
  const V::F d = V::half_of_lanes(head[0]);
  V::store_f(panel.low[super][strip], V::half_of_lanes(V::right<16>(head[0])));
  V::I scales[2], minima[2];
  scales[0] = V::bit_and(head[1], V::set(0x3f3f3f3f));
  minima[0] = V::bit_and(head[2], V::set(0x3f3f3f3f));
  const V::I top = V::set(0x30303030), low = V::set(0x0f0f0f0f);
  scales[1] = V::bit_or(V::bit_and(head[3], low), V::bit_and(V::right<2>(head[1]), top));
  minima[1] = V::bit_or(V::bit_and(V::right<4>(head[3]), low), V::bit_and(V::right<2>(head[2]), top));
  UNROLL for (int i = 0; i < 8; i++) {
    const V::I one = V::bit_and(scales[i / 4], V::set(255));
    V::store_f(panel.scales[super * 8 + i][strip], V::mul(d, V::to_float(one)));
    scales[i / 4] = V::right<8>(scales[i / 4]);
  }
  // Pairs of 16-bit numbers, which `dot16` multiplies by the pairs of sums of activations.
  UNROLL for (int i = 0; i < 4; i++) {
    V::I &from = minima[i / 2];
    const V::I pair = V::bit_or(V::bit_and(from, V::set(255)), V::left<8>(V::bit_and(from, V::set(0xff00))));
    V::store(panel.minima[super][i][strip], pair);
    from = V::right<16>(from);
  }
}

struct FromQ4_K {
  static constexpr size_t BYTES = Q4_K_BYTES;
  static constexpr int BITS = 4, GROUP = 32;
  static constexpr bool MINIMA = true;

  template <class Panel, class R>
  INLINE void pack(Panel &panel, int strip, const R &rows, int64_t super, const Prefetcher &prefetcher) {
    using V = Vector;
    six_bit_scales(panel, strip, rows, super);
    const V::I low = V::set(0x0f0f0f0f);
    UNROLL for (int i = 0; i < 8; i++) {
      if (i % 2 == 0 && 32 * i < static_cast<int>(BYTES)) prefetcher.ask(rows, super * BYTES, 32 * i);
      V::I four[4];
      V::gather(four, rows, Q4_K_VALUES + 16 * i);
      // The low halves are sub-block 2j, the high ones sub-block 2j + 1.
      auto *to = &panel.values[super * 64 + i / 2 * 16 + i % 2 * 4];
      UNROLL for (int t = 0; t < 4; t++) {
        V::store(to[t][strip], V::bit_and(four[t], low));
        V::store(to[t + 8][strip], V::bit_and(V::right<4>(four[t]), low));
      }
    }
  }
};

struct FromQ5_K {
  static constexpr size_t BYTES = Q5_K_BYTES;
  static constexpr int BITS = 5, GROUP = 32;
  static constexpr bool MINIMA = true;

  template <class Panel, class R>
  INLINE void pack(Panel &panel, int strip, const R &rows, int64_t super, const Prefetcher &prefetcher) {
    using V = Vector;
    six_bit_scales(panel, strip, rows, super);
    const V::I low = V::set(0x0f0f0f0f), fifth = V::set(0x10101010);
    V::I high[8];
    V::gather(high, rows, Q5_K_HIGH);
    V::gather(high + 4, rows, Q5_K_HIGH + 16);
    UNROLL for (int j = 0; j < 4; j++) {
      if (64 * j < static_cast<int>(BYTES)) prefetcher.ask(rows, super * BYTES, 64 * j);
      UNROLL for (int i = 0; i < 2; i++) {
        V::I four[4];
        V::gather(four, rows, Q5_K_VALUES + 32 * j + 16 * i);
        auto *to = &panel.values[super * 64 + j * 16 + i * 4];
        UNROLL for (int t = 0; t < 4; t++) {
          // Bits 2j and 2j + 1 of each byte of `high`, which moves on by two bits.
          V::I &h = high[i * 4 + t];
          V::store(to[t][strip], V::bit_or(V::bit_and(four[t], low), V::bit_and(V::left<4>(h), fifth)));
          V::store(to[t + 8][strip],
                   V::bit_or(V::bit_and(V::right<4>(four[t]), low), V::bit_and(V::left<3>(h), fifth)));
          h = V::right<2>(h);
        }
      }
    }
  }
};

struct FromQ6_K {
  static constexpr size_t BYTES = Q6_K_BYTES;
  static constexpr int BITS = 6, GROUP = 16, OFFSET = 32;
  static constexpr bool MINIMA = false;

  template <class Panel, class R>
  INLINE void pack(Panel &panel, int strip, const R &rows, int64_t super, const Prefetcher &prefetcher) {
    using V = Vector;
    uint16_t d16[V::LANES];
    for (int r = 0; r < V::LANES; r++) __builtin_memcpy(&d16[r], rows.at(r) + Q6_K_D, 2);
    const V::I low = V::set(0x0f0f0f0f), top = V::set(0x30303030);
    for (int part = 0; part < 4; part++) {
      // 16 bytes of the upper part have the bits of four groups of 16 numbers, 32 numbers apart.
      const int half = part / 2, i = part % 2;
      prefetcher.ask(rows, super * BYTES, 64 * part);
      V::I upper[4], first[4], second[4];
      V::gather(upper, rows, Q6_K_HIGH + 32 * half + 16 * i);
      V::gather(first, rows, 64 * half + 16 * i);
      V::gather(second, rows, 64 * half + 32 + 16 * i);
      auto *to = &panel.values[super * 64 + half * 32 + i * 4];
      UNROLL for (int t = 0; t < 4; t++) {
        const V::I h = upper[t];
        V::store(to[t][strip], V::bit_or(V::bit_and(first[t], low), V::bit_and(V::left<4>(h), top)));
        V::store(to[t + 8][strip], V::bit_or(V::bit_and(second[t], low), V::bit_and(V::left<2>(h), top)));
        V::store(to[t + 16][strip], V::bit_or(V::bit_and(V::right<4>(first[t]), low), V::bit_and(h, top)));
        V::store(to[t + 24][strip],
                 V::bit_or(V::bit_and(V::right<4>(second[t]), low), V::bit_and(V::right<2>(h), top)));
      }
    }
    V::I scales[4];
    V::gather(scales, rows, Q6_K_SCALES);
    const V::F d = V::load_half(d16);
    UNROLL for (int i = 0; i < 16; i++) {
      V::I &from = scales[i / 4];
      V::store_f(panel.scales[super * 16 + i][strip], V::mul(d, V::to_float(V::right_signed<24>(V::left<24>(from)))));
      from = V::right<8>(from);
    }
  }
};

/**
 * What the kernels of all these formats share: how a panel lies in memory, and the products. GROUP numbers have a scale
 * of their own.
 */
template <int GROUP, bool MINIMA, int BITS>
struct SuperTiles {
  using V = Vector;
  static constexpr int COLUMNS = V::COLUMNS;
  /** Numbers of a row in a panel. */
  static constexpr int64_t DEPTH = 1024;
  static constexpr int GROUPS = SUPER / GROUP;

  struct Panel {
    int32_t values[DEPTH / 4][V::STRIPS][V::LANES];
    float scales[DEPTH / GROUP][V::STRIPS][V::LANES];
    int32_t minima[DEPTH / SUPER][4][V::STRIPS][V::LANES];
    float low[DEPTH / SUPER][V::STRIPS][V::LANES];
  };

  /**
   * What is computed once of one block of each column of a tile. With minima: the sums of its sub-blocks of 32, two
   * 16-bit numbers at a time. Else what takes the offset of each group off again.
   */
  struct Side {
    int32_t sums[MINIMA ? 4 : GROUPS][COLUMNS];
  };
  static constexpr int64_t SIDE_DEPTH = SUPER;
  static constexpr int64_t SIDES = 240 / COLUMNS * (DEPTH / SIDE_DEPTH);

  template <int C>
  static __attribute__((noinline)) void tile(const Panel &panel, const Side *side, const char *const *in, int64_t depth,
                                             const Results &results, const NextPanel &next) {
    constexpr int S = V::STRIPS;
    const char *b[C];
    UNROLL for (int j = 0; j < C; j++) b[j] = in[j];
    // In memory: the registers hold the sums of one block.
    alignas(64) float total[C][S][V::LANES];
    UNROLL for (int j = 0; j < C; j++)
      UNROLL for (int s = 0; s < S; s++) V::store_f(total[j][s], V::zero_f());

    for (int64_t block = 0; block < depth / SUPER; block++, side++) {
      next.ask(block);
      V::F part[C][S];
      UNROLL for (int j = 0; j < C; j++)
        UNROLL for (int s = 0; s < S; s++) part[j][s] = V::zero_f();
      for (int g = 0; g < GROUPS; g++) {
        V::I sum[C][S];
        UNROLL for (int j = 0; j < C; j++)
          UNROLL for (int s = 0; s < S; s++) sum[j][s] = MINIMA ? V::zero() : V::set(side->sums[MINIMA ? 0 : g][j]);
        dots<BITS, GROUP / 4, C>(sum, panel.values[block * 64 + g * (GROUP / 4)], b, Q8_K_VALUES + g * GROUP);
        UNROLL for (int s = 0; s < S; s++) {
          const V::F scale = V::load_f(panel.scales[block * GROUPS + g][s]);
          UNROLL for (int j = 0; j < C; j++) part[j][s] = V::mul_add(V::to_float(sum[j][s]), scale, part[j][s]);
        }
      }
      UNROLL for (int j = 0; j < C; j++) {
        float d;
        __builtin_memcpy(&d, b[j], 4);
        UNROLL for (int s = 0; s < S; s++) {
          if constexpr (MINIMA) {
            V::I sum = V::zero();
            UNROLL for (int i = 0; i < 4; i++) {
              sum = V::dot16(sum, V::load(panel.minima[block][i][s]), V::set(side->sums[i][j]));
            }
            part[j][s] = V::mul_sub_from(V::to_float(sum), V::load_f(panel.low[block][s]), part[j][s]);
          }
          V::store_f(total[j][s], V::mul_add(part[j][s], V::set_f(d), V::load_f(total[j][s])));
        }
        b[j] += Q8_K_BYTES;
      }
    }
    Results::put(results, C, total[0][0]);
  }
};

template <class Format>
struct Supers : SuperTiles<Format::GROUP, Format::MINIMA, Vector::SUMS<Format::BITS> == 0 ? 6 : Format::BITS> {
  using V = Vector;
  using Tiles = SuperTiles<Format::GROUP, Format::MINIMA, Vector::SUMS<Format::BITS> == 0 ? 6 : Format::BITS>;
  using Panel = typename Tiles::Panel;
  using Side = typename Tiles::Side;

  INLINE size_t weight_bytes(int64_t k) { return k / SUPER * Format::BYTES; }
  INLINE size_t input_bytes(int64_t k) { return k / SUPER * Q8_K_BYTES; }

  static void prepare(Side *side, int j, const char *in, int64_t depth) {
    for (int64_t b = 0; b < depth / SUPER; b++, in += Q8_K_BYTES) {
      int16_t sums[16];
      __builtin_memcpy(sums, in + Q8_K_SUMS, sizeof sums);
      if constexpr (Format::MINIMA) {
        for (int i = 0; i < 4; i++) {
          const int32_t first = sums[4 * i] + sums[4 * i + 1], second = sums[4 * i + 2] + sums[4 * i + 3];
          side[b].sums[i][j] = (first & 0xffff) | static_cast<int32_t>(static_cast<uint32_t>(second) << 16);
        }
      } else {
        for (int i = 0; i < 16; i++) side[b].sums[i][j] = -Format::OFFSET * sums[i];
      }
    }
  }

  template <class R>
  static __attribute__((noinline)) void pack(Panel &panel, int strip, R rows, Prefetcher prefetcher, int64_t depth) {
    for (int64_t b = 0; b < depth / SUPER; b++) {
      Format::pack(panel, strip, rows, b, prefetcher);
      rows.advance(Format::BYTES);
    }
  }
};

}  // namespace
}  // namespace paddock
