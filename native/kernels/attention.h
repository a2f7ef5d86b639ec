#pragma once

// Flash attention for keys and values in 16-bit floats: the softmax of the scores goes on from tile to tile of keys, so
// that the scores of a row never have to be in memory together (Dao et al. 2022, https://arxiv.org/abs/2205.14135).
//
// All heads of queries that share a head of keys are rows of one block, so each key and each value is read and unpacked
// once for them. The sums of a row have one order, whichever rows are computed beside it and however wide a vector is.

#include "floats.h"

// The oldest version, so that the library still opens on systems with an old glibc.
__asm__(".symver memcpy, memcpy@GLIBC_2.2.5");

namespace paddock {
namespace {

/** Rows of a block: tokens, each with all heads that share the keys. */
constexpr int64_t MOST_ROWS = MOST_GROUP;
/** Keys of a tile. */
constexpr int64_t KEYS = ATTENTION_KEYS;
/** Numbers that a panel is wide. */
constexpr int64_t WIDTH = Vector::STRIPS * Vector::LANES;
static_assert(KEYS % WIDTH == 0 && ATTENTION_STEP % WIDTH == 0);

constexpr float LOG2_E = 1.44269504f;
constexpr float NEVER = -__builtin_inff();

/** What a thread works with, on its stack. */
struct Desk {
  float queries[MOST_ROWS * MOST_HEAD];
  float sums[MOST_ROWS * MOST_HEAD];
  float scores[MOST_ROWS * KEYS];
  /** Keys: their numbers one after the other, each of all keys of the panel. Values: the same, of one key after the other. */
  float panel[MOST_HEAD][Vector::STRIPS][Vector::LANES];
  /** The mask of each token for the keys of a tile, to the base 2. */
  float mask[MOST_ROWS * KEYS];
  enum : uint8_t { NONE, SOME, ALL } sees[MOST_ROWS];
  /** Of each row: its highest score so far, and the sum of its weights. */
  float top[MOST_ROWS];
  float total[MOST_ROWS];
};

/** 2^x for x <= 0; 0 below 2^-126 and for what is no number. Its error is that of a float. */
INLINE Vector::F power_of_two(Vector::F x) {
  using V = Vector;
  const V::I whole = V::round(x);
  const V::F part = V::sub_f(x, V::to_float(whole));
  // The series of 2^x = e^(x ln 2) around 0, of which |x| <= 1/2 needs seven terms.
  V::F y = V::set_f(1.54035304e-4f);
  y = V::mul_add(y, part, V::set_f(1.33335581e-3f));
  y = V::mul_add(y, part, V::set_f(9.61812911e-3f));
  y = V::mul_add(y, part, V::set_f(5.55041087e-2f));
  y = V::mul_add(y, part, V::set_f(2.40226507e-1f));
  y = V::mul_add(y, part, V::set_f(6.93147181e-1f));
  y = V::mul_add(y, part, V::set_f(1));
  const V::F scaled = V::as_float(V::add(V::as_int(y), V::left<23>(whole)));
  return V::where_at_least(x, V::set_f(-126), scaled);
}

/** Multiplies C rows by a panel of `depth` vectors; `ADD` adds that to what is there. Strides are in numbers. */
template <int C, bool ADD>
static __attribute__((noinline)) void multiply(const float *left, int64_t left_stride,
                                               const float (*panel)[Vector::STRIPS][Vector::LANES], int64_t depth,
                                               float *out, int64_t out_stride) {
  using V = Vector;
  constexpr int S = V::STRIPS;
  V::F total[C][S];
  UNROLL for (int j = 0; j < C; j++)
    UNROLL for (int s = 0; s < S; s++)
      total[j][s] = ADD ? V::load_f(out + j * out_stride + s * V::LANES) : V::zero_f();
  for (int64_t k = 0; k < depth; k++) {
    V::F w[S];
    UNROLL for (int s = 0; s < S; s++) w[s] = V::load_f(panel[k][s]);
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
  multiply<C, ADD>(left, left_stride, desk.panel, depth, out, out_stride);
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

/** Reads the mask of a token for a tile of keys. */
INLINE void read_mask(Desk &desk, int64_t token, const char *mask) {
  using V = Vector;
  uint64_t four[KEYS / 4], any = 0, differ = 0;
  __builtin_memcpy(four, mask, sizeof four);
  // Four halves of minus infinity.
  constexpr uint64_t HIDDEN = 0xfc00fc00fc00fc00;
  for (uint64_t each : four) any |= each, differ |= each ^ HIDDEN;
  desk.sees[token] = any == 0 ? Desk::ALL : differ == 0 ? Desk::NONE : Desk::SOME;
  if (desk.sees[token] != Desk::SOME) return;
  const auto *halves = reinterpret_cast<const uint16_t *>(mask);
  for (int64_t k = 0; k < KEYS; k += V::LANES) {
    V::store_f(desk.mask + token * KEYS + k, V::mul(V::load_half(halves + k), V::set_f(LOG2_E)));
  }
}

/**
 * Unpacks the keys of a panel. Asks the memory for those of the next one and for the values of this one meanwhile: the
 * processor does not foresee reads of so many rows.
 */
INLINE void pack_keys(Desk &desk, const char *keys, size_t stride, int64_t depth, const char *values, size_t value) {
  using V = Vector;
  for (int s = 0; s < V::STRIPS; s++, values += V::LANES * value) {
    Rows rows(keys + s * V::LANES * stride, stride);
    for (int64_t d = 0; d < depth; d += 8, rows.advance(16)) {
      if (d % 32 == 0) {
        UNROLL for (int r = 0; r < V::LANES; r++) {
          __builtin_prefetch(rows.at(r) + WIDTH * stride);
          __builtin_prefetch(values + r * value + 2 * d);
        }
      }
      V::I lanes[4];
      V::gather(lanes, rows, 0);
      UNROLL for (int t = 0; t < 4; t++) {
        V::F two[2];
        FromF16::pair(two, lanes[t]);
        V::store_f(desk.panel[d + 2 * t][s], two[0]);
        V::store_f(desk.panel[d + 2 * t + 1][s], two[1]);
      }
    }
  }
}

/** Unpacks WIDTH numbers of each value of a tile. */
INLINE void pack_values(Desk &desk, const char *values, size_t stride) {
  using V = Vector;
  for (int64_t k = 0; k < KEYS; k++, values += stride) {
    const auto *halves = reinterpret_cast<const uint16_t *>(values);
    UNROLL for (int s = 0; s < V::STRIPS; s++) V::store_f(desk.panel[k][s], V::load_half(halves + s * V::LANES));
  }
}

/** Multiplies each number of a row. */
INLINE void scale_row(float *row, int64_t depth, float by) {
  using V = Vector;
  for (int64_t d = 0; d < depth; d += V::LANES) V::store_f(row + d, V::mul(V::load_f(row + d), V::set_f(by)));
}

INLINE float power_of_two_of(float x) {
  float out[Vector::LANES];
  Vector::store_f(out, power_of_two(Vector::set_f(x)));
  return out[0];
}

/** Raises the highest score of a row, if `score` is higher: all that was summed counts less then. */
INLINE void raise(Desk &desk, int64_t row, int64_t depth, float score) {
  if (!(score > desk.top[row])) return;
  const float less = power_of_two_of(desk.top[row] - score);
  desk.top[row] = score;
  desk.total[row] *= less;
  scale_row(desk.sums + row * depth, depth, less);
}

/** Turns the scores of a row for a tile into weights. */
INLINE void weigh(Desk &desk, int64_t row, int64_t token, int64_t depth) {
  using V = Vector;
  float *scores = desk.scores + row * KEYS;
  if (desk.sees[token] == Desk::SOME) {
    const float *mask = desk.mask + token * KEYS;
    for (int64_t k = 0; k < KEYS; k += V::LANES) {
      V::store_f(scores + k, V::add_f(V::load_f(scores + k), V::load_f(mask + k)));
    }
  }
  V::F highest = V::load_f(scores);
  for (int64_t k = V::LANES; k < KEYS; k += V::LANES) highest = V::max_f(highest, V::load_f(scores + k));
  raise(desk, row, depth, V::highest_of(highest));
  const V::F top = V::set_f(desk.top[row]);
  __m256 total = _mm256_setzero_ps();
  for (int64_t k = 0; k < KEYS; k += V::LANES) {
    const V::F weights = power_of_two(V::sub_f(V::load_f(scores + k), top));
    V::store_f(scores + k, weights);
    total = V::add_eights(total, weights);
  }
  float eight[8];
  _mm256_storeu_ps(eight, total);
  desk.total[row] += (eight[0] + eight[4]) + (eight[1] + eight[5]) + ((eight[2] + eight[6]) + (eight[3] + eight[7]));
}

/** Computes one block: the tokens from `first` on, for all heads that share a head of keys. */
static void attend_block(const Attention &a, Desk &desk, int64_t stream, int64_t shared, int64_t first, int64_t tokens) {
  const int64_t group = a.heads / a.key_heads, rows = tokens * group;
  const char *keys = a.keys + shared * a.key_head + stream * a.key_stream;
  const char *values = a.values + shared * a.value_head + stream * a.value_stream;
  const char *mask = a.mask ? a.mask + first * a.mask_token + stream * a.mask_stream : nullptr;
  const float scale = a.scale * LOG2_E;

  for (int64_t row = 0; row < rows; row++) {
    const int64_t token = first + row / group, head = shared * group + row % group;
    const char *from = a.queries + token * a.query_token + head * a.query_head + stream * a.query_stream;
    float *to = desk.queries + row * a.key_depth;
    __builtin_memcpy(to, from, sizeof(float) * a.key_depth);
    scale_row(to, a.key_depth, scale);
    __builtin_memset(desk.sums + row * a.value_depth, 0, sizeof(float) * a.value_depth);
    desk.top[row] = NEVER;
    desk.total[row] = 0;
  }
  for (int64_t token = 0; token < tokens; token++) desk.sees[token] = Desk::ALL;

  for (int64_t key = 0; key < a.count; key += KEYS) {
    bool seen = !mask;
    for (int64_t token = 0; mask && token < tokens; token++) {
      read_mask(desk, token, mask + token * a.mask_token + 2 * key);
      seen |= desk.sees[token] != Desk::NONE;
    }
    if (!seen) continue;
    for (int64_t k = 0; k < KEYS; k += WIDTH) {
      pack_keys(desk, keys + (key + k) * a.key, a.key, a.key_depth, values + (key + k) * a.value, a.value);
      multiply_all<false>(rows, desk.queries, a.key_depth, desk, a.key_depth, desk.scores + k, KEYS);
    }
    for (int64_t row = 0; row < rows; row++) {
      const int64_t token = row / group;
      if (desk.sees[token] != Desk::NONE) weigh(desk, row, token, a.value_depth);
      else __builtin_memset(desk.scores + row * KEYS, 0, sizeof(float) * KEYS);
    }
    for (int64_t d = 0; d < a.value_depth; d += WIDTH) {
      pack_values(desk, values + key * a.value + 2 * d, a.value);
      multiply_all<true>(rows, desk.scores, KEYS, desk, KEYS, desk.sums + d, a.value_depth);
    }
  }

  for (int64_t row = 0; row < rows; row++) {
    const int64_t token = first + row / group, head = shared * group + row % group;
    float *sums = desk.sums + row * a.value_depth;
    if (a.sinks) {
      const float sink = a.sinks[head] * LOG2_E;
      raise(desk, row, a.value_depth, sink);
      desk.total[row] += power_of_two_of(sink - desk.top[row]);
    }
    scale_row(sums, a.value_depth, desk.total[row] == 0 ? 0 : 1 / desk.total[row]);
    float *to = a.out + ((stream * a.tokens + token) * a.heads + head) * a.value_depth;
    __builtin_memcpy(to, sums, sizeof(float) * a.value_depth);
  }
}

/** Computes the blocks of one thread: the threads take turns, since later tokens see more keys. */
static void attend(const Attention &a) {
  // Aligned to a line of the cache. It is not set to 0: what is read was written before.
  alignas(64) Desk desk;
  const int64_t group = a.heads / a.key_heads;
  const int64_t most = group < MOST_ROWS ? MOST_ROWS / group : 1;
  const int64_t blocks = up(a.tokens, most), all = a.streams * a.key_heads * blocks;
  for (int64_t i = a.thread; i < all; i += a.threads) {
    const int64_t first = i % blocks * most;
    attend_block(a, desk, i / blocks / a.key_heads, i / blocks % a.key_heads, first, least(most, a.tokens - first));
  }
}

}  // namespace
}  // namespace paddock
