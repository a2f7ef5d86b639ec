#pragma once

// Flash attention for keys and values in 16-bit floats: the softmax of the scores goes on from tile to tile of keys, so
// that the scores of a row never have to be in memory together (Dao et al. 2022, https://arxiv.org/abs/2205.14135).
//
// All heads of queries that share a head of keys are rows of one block, so each key and each value is read and unpacked
// once for them.
//
// Several sequences may share one cache, where the cells of one lie between those of others. So tokens that see mostly
// the same cells are computed together, and only the cells that one of them sees are read. Where these lie close
// together, a tile is read as it lies, and the sums of a row then have one order, whichever rows are computed beside it
// and however wide a vector is.

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
  /** The cells of the keys of a tile. */
  int64_t cells[KEYS];
  /** Cells that wait until they fill a tile, and the mask of each token for them. */
  int64_t waiting[KEYS];
  int64_t waits;
  uint16_t waiting_mask[MOST_ROWS * KEYS];
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

/** Minus infinity as a half float: the mask of a key that a token does not see. */
constexpr uint16_t HIDDEN = 0xfc00;

/** Reads the mask of a token for a tile of keys. */
INLINE void read_mask(Desk &desk, int64_t token, const char *mask) {
  using V = Vector;
  uint64_t four[KEYS / 4], any = 0, differ = 0;
  __builtin_memcpy(four, mask, sizeof four);
  for (uint64_t each : four) any |= each, differ |= each ^ HIDDEN * 0x0001000100010001ull;
  desk.sees[token] = any == 0 ? Desk::ALL : differ == 0 ? Desk::NONE : Desk::SOME;
  if (desk.sees[token] != Desk::SOME) return;
  const auto *halves = reinterpret_cast<const uint16_t *>(mask);
  for (int64_t k = 0; k < KEYS; k += V::LANES) {
    V::store_f(desk.mask + token * KEYS + k, V::mul(V::load_half(halves + k), V::set_f(LOG2_E)));
  }
}

/** The keys of a strip, which lie anywhere. */
struct Keys {
  const char *each[Vector::LANES];

  Keys(const char *start, size_t stride, const int64_t *cells) {
    for (int i = 0; i < Vector::LANES; i++) each[i] = start + cells[i] * stride;
  }
  INLINE_MEMBER const char *at(int row) const { return each[row]; }
};

/**
 * Unpacks the keys of a panel. Asks the memory for those of the next one and for the values of this one meanwhile: the
 * processor does not foresee reads of so many rows.
 */
INLINE void pack_keys(Desk &desk, const int64_t *cells, const char *keys, size_t stride, int64_t depth,
                      const char *values, size_t value) {
  using V = Vector;
  for (int s = 0; s < V::STRIPS; s++, cells += V::LANES) {
    const Keys rows(keys, stride, cells);
    for (int64_t d = 0; d < depth; d += 8) {
      if (d % 32 == 0) {
        UNROLL for (int r = 0; r < V::LANES; r++) {
          __builtin_prefetch(rows.at(r) + WIDTH * stride + 2 * d);
          __builtin_prefetch(values + cells[r] * value + 2 * d);
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

/** Unpacks WIDTH numbers of each value of a tile. */
INLINE void pack_values(Desk &desk, const char *values, size_t stride) {
  using V = Vector;
  for (int64_t k = 0; k < KEYS; k++) {
    const auto *halves = reinterpret_cast<const uint16_t *>(values + desk.cells[k] * stride);
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

/** The tokens of a block, and what they read. */
struct Block {
  const Attention &a;
  int64_t stream;
  /** The head of keys. */
  int64_t shared;
  int64_t first, tokens;

  INLINE_MEMBER int64_t group() const { return a.heads / a.key_heads; }
  INLINE_MEMBER int64_t rows() const { return tokens * group(); }
  INLINE_MEMBER const char *mask_of(int64_t token) const {
    return a.mask + (first + token) * a.mask_token + stream * a.mask_stream;
  }
  /** The number of a row's head. */
  INLINE_MEMBER int64_t head(int64_t row) const { return shared * group() + row % group(); }
};

/** What a tile is read from: a head of keys and values. */
struct Head {
  const char *keys, *values;

  explicit Head(const Block &block)
      : keys(block.a.keys + block.shared * block.a.key_head + block.stream * block.a.key_stream),
        values(block.a.values + block.shared * block.a.value_head + block.stream * block.a.value_stream) {}
};

/** Turns the scores of all rows for a tile into weights. */
INLINE void weigh_all(const Block &block, Desk &desk) {
  for (int64_t row = 0; row < block.rows(); row++) {
    const int64_t token = row / block.group();
    if (desk.sees[token] != Desk::NONE) weigh(desk, row, token, block.a.value_depth);
    else __builtin_memset(desk.scores + row * KEYS, 0, sizeof(float) * KEYS);
  }
}

/** Up to so many rows are faster without panels: each key and each value is unpacked where it is multiplied. */
constexpr int64_t FEW_ROWS = 4;

/** Sums the lanes of four vectors. */
INLINE __m128 sums_of(const __m256 x[4]) {
  const __m256 pairs = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
  return _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
}

INLINE __m256 eight_halves(const char *p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}

/** Computes the tile of the keys in `desk.cells` for R rows. */
template <int R>
static __attribute__((noinline)) void attend_few(const Block &block, Desk &desk) {
  const Attention &a = block.a;
  const Head head(block);
  constexpr int TOGETHER = 4;
  for (int64_t k = 0; k < KEYS; k += TOGETHER) {
    const char *keys[TOGETHER];
    UNROLL for (int i = 0; i < TOGETHER; i++) {
      keys[i] = head.keys + desk.cells[k + i] * a.key;
      // The processor does not foresee these reads.
      const int64_t next = desk.cells[k + i + TOGETHER < KEYS ? k + i + TOGETHER : k + i];
      for (int64_t d = 0; d < a.key_depth; d += 32) __builtin_prefetch(head.keys + next * a.key + 2 * d);
      for (int64_t d = 0; d < a.value_depth; d += 32) {
        __builtin_prefetch(head.values + desk.cells[k + i] * a.value + 2 * d);
      }
    }
    __m256 total[R][TOGETHER];
    UNROLL for (int r = 0; r < R; r++)
      UNROLL for (int i = 0; i < TOGETHER; i++) total[r][i] = _mm256_setzero_ps();
    for (int64_t d = 0; d < a.key_depth; d += 8) {
      UNROLL for (int i = 0; i < TOGETHER; i++) {
        const __m256 key = eight_halves(keys[i] + 2 * d);
        UNROLL for (int r = 0; r < R; r++) {
          total[r][i] = _mm256_fmadd_ps(key, _mm256_loadu_ps(desk.queries + r * a.key_depth + d), total[r][i]);
        }
      }
    }
    UNROLL for (int r = 0; r < R; r++) _mm_storeu_ps(desk.scores + r * KEYS + k, sums_of(total[r]));
  }
  weigh_all(block, desk);
  constexpr int WIDE = R > 2 ? 2 : 4;
  for (int64_t d = 0; d < a.value_depth; d += 8 * WIDE) {
    __m256 total[R][WIDE];
    UNROLL for (int r = 0; r < R; r++)
      UNROLL for (int i = 0; i < WIDE; i++)
        total[r][i] = _mm256_loadu_ps(desk.sums + r * a.value_depth + d + 8 * i);
    for (int64_t k = 0; k < KEYS; k++) {
      const char *values = head.values + desk.cells[k] * a.value + 2 * d;
      __m256 value[WIDE];
      UNROLL for (int i = 0; i < WIDE; i++) value[i] = eight_halves(values + 16 * i);
      UNROLL for (int r = 0; r < R; r++) {
        const __m256 weight = _mm256_broadcast_ss(desk.scores + r * KEYS + k);
        UNROLL for (int i = 0; i < WIDE; i++) total[r][i] = _mm256_fmadd_ps(value[i], weight, total[r][i]);
      }
    }
    UNROLL for (int r = 0; r < R; r++)
      UNROLL for (int i = 0; i < WIDE; i++)
        _mm256_storeu_ps(desk.sums + r * a.value_depth + d + 8 * i, total[r][i]);
  }
}

/** Computes the tile of the keys in `desk.cells`, whose masks were read. */
static void attend_tile(const Block &block, Desk &desk) {
  const Attention &a = block.a;
  const int64_t rows = block.rows();
  static_assert(FEW_ROWS == 4, "one function for each");
  if (rows == 1) return attend_few<1>(block, desk);
  if (rows == 2) return attend_few<2>(block, desk);
  if (rows == 3) return attend_few<3>(block, desk);
  if (rows == 4) return attend_few<4>(block, desk);
  const Head head(block);
  for (int64_t k = 0; k < KEYS; k += WIDTH) {
    pack_keys(desk, desk.cells + k, head.keys, a.key, a.key_depth, head.values, a.value);
    multiply_all<false>(rows, desk.queries, a.key_depth, desk, a.key_depth, desk.scores + k, KEYS);
  }
  weigh_all(block, desk);
  for (int64_t d = 0; d < a.value_depth; d += WIDTH) {
    pack_values(desk, head.values + 2 * d, a.value);
    multiply_all<true>(rows, desk.scores, KEYS, desk, KEYS, desk.sums + d, a.value_depth);
  }
}

/** Computes the tile of the waiting cells, of which there is at least one. */
static void attend_waiting(const Block &block, Desk &desk) {
  for (int64_t k = 0; k < KEYS; k++) desk.cells[k] = desk.waiting[k < desk.waits ? k : desk.waits - 1];
  for (int64_t token = 0; token < block.tokens; token++) {
    uint16_t *mask = desk.waiting_mask + token * KEYS;
    for (int64_t k = desk.waits; k < KEYS; k++) mask[k] = HIDDEN;
    read_mask(desk, token, reinterpret_cast<const char *>(mask));
  }
  desk.waits = 0;
  attend_tile(block, desk);
}

/** Bit i is set if the mask at half float i is not minus infinity. */
INLINE uint64_t seen_bits(const char *mask) {
  const __m256i hidden = _mm256_set1_epi16(static_cast<int16_t>(HIDDEN));
  uint64_t bits = 0;
  UNROLL for (int i = 0; i < 2; i++) {
    const auto *at = reinterpret_cast<const __m256i *>(mask + 64 * i);
    const __m256i low = _mm256_cmpeq_epi16(_mm256_loadu_si256(at), hidden);
    const __m256i high = _mm256_cmpeq_epi16(_mm256_loadu_si256(at + 1), hidden);
    // Packing takes turns between the halves of both vectors.
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    bits |= static_cast<uint64_t>(~static_cast<uint32_t>(_mm256_movemask_epi8(bytes))) << (32 * i);
  }
  return bits;
}

/** A tile of which so many cells are seen is read as it lies. */
constexpr int DENSE = 48;

/** Adds the seen cells of a tile to the waiting ones. */
static void wait_for_more(const Block &block, Desk &desk, int64_t key, uint64_t seen) {
  for (; seen != 0; seen &= seen - 1) {
    const int64_t cell = key + __builtin_ctzll(seen);
    desk.waiting[desk.waits] = cell;
    for (int64_t token = 0; token < block.tokens; token++) {
      __builtin_memcpy(desk.waiting_mask + token * KEYS + desk.waits, block.mask_of(token) + 2 * cell, 2);
    }
    desk.waits++;
    if (desk.waits == KEYS) attend_waiting(block, desk);
  }
}

/** Computes one block, for all heads that share a head of keys. */
static void attend_block(const Block &block, Desk &desk) {
  const Attention &a = block.a;
  const int64_t rows = block.rows(), group = block.group();
  const float scale = a.scale * LOG2_E;

  for (int64_t row = 0; row < rows; row++) {
    const char *from = a.queries + (block.first + row / group) * a.query_token + block.head(row) * a.query_head +
                       block.stream * a.query_stream;
    float *to = desk.queries + row * a.key_depth;
    __builtin_memcpy(to, from, sizeof(float) * a.key_depth);
    scale_row(to, a.key_depth, scale);
    __builtin_memset(desk.sums + row * a.value_depth, 0, sizeof(float) * a.value_depth);
    desk.top[row] = NEVER;
    desk.total[row] = 0;
  }
  for (int64_t token = 0; token < block.tokens; token++) desk.sees[token] = Desk::ALL;
  desk.waits = 0;

  for (int64_t key = 0; key < a.count; key += KEYS) {
    uint64_t seen = a.mask ? 0 : ~0ull;
    for (int64_t token = 0; a.mask && token < block.tokens; token++) seen |= seen_bits(block.mask_of(token) + 2 * key);
    if (__builtin_popcountll(seen) < DENSE) {
      wait_for_more(block, desk, key, seen);
      continue;
    }
    for (int64_t k = 0; k < KEYS; k++) desk.cells[k] = key + k;
    for (int64_t token = 0; a.mask && token < block.tokens; token++) {
      read_mask(desk, token, block.mask_of(token) + 2 * key);
    }
    attend_tile(block, desk);
  }
  if (desk.waits > 0) attend_waiting(block, desk);

  for (int64_t row = 0; row < rows; row++) {
    const int64_t token = block.first + row / group, head = block.head(row);
    float *sums = desk.sums + row * a.value_depth;
    if (a.sinks) {
      const float sink = a.sinks[head] * LOG2_E;
      raise(desk, row, a.value_depth, sink);
      desk.total[row] += power_of_two_of(sink - desk.top[row]);
    }
    scale_row(sums, a.value_depth, desk.total[row] == 0 ? 0 : 1 / desk.total[row]);
    float *to = a.out + ((block.stream * a.tokens + token) * a.heads + head) * a.value_depth;
    __builtin_memcpy(to, sums, sizeof(float) * a.value_depth);
  }
}

/** True if a token of a block and the next one see mostly the same cells, so that they are faster together. */
static bool sees_alike(const Block &block, int64_t token) {
  const char *one = block.mask_of(token), *next = block.mask_of(token + 1);
  int64_t of_one = 0, of_next = 0, of_both = 0;
  for (int64_t key = 0; key < block.a.count; key += KEYS) {
    const uint64_t a = seen_bits(one + 2 * key), b = seen_bits(next + 2 * key);
    of_one += __builtin_popcountll(a), of_next += __builtin_popcountll(b), of_both += __builtin_popcountll(a & b);
  }
  return 2 * of_both >= (of_one > of_next ? of_one : of_next);
}

/** Computes the tokens of a block, apart where they see other cells. */
static void attend_alike(const Block &all, Desk &desk) {
  for (int64_t from = 0; from < all.tokens;) {
    int64_t to = from + 1;
    while (to < all.tokens && (!all.a.mask || sees_alike(all, to - 1))) to++;
    attend_block({all.a, all.stream, all.shared, all.first + from, to - from}, desk);
    from = to;
  }
}

/** Each thread has at least so many blocks, if there are as many tokens. */
constexpr int64_t SHARES = 4;

/** Computes the blocks of one thread: the threads take turns, since later tokens see more keys. */
static void attend(const Attention &a) {
  // Aligned to a line of the cache. It is not set to 0: what is read was written before.
  alignas(64) Desk desk;
  const int64_t group = a.heads / a.key_heads;
  // So small that each thread has several, however differently long they take.
  const int64_t share = up(a.tokens * a.key_heads * a.streams, SHARES * a.threads);
  const int64_t most = least(share, group < MOST_ROWS ? MOST_ROWS / group : 1);
  const int64_t blocks = up(a.tokens, most), all = a.streams * a.key_heads * blocks;
  for (int64_t i = a.thread; i < all; i += a.threads) {
    const int64_t first = i % blocks * most;
    attend_alike({a, i / blocks / a.key_heads, i / blocks % a.key_heads, first, least(most, a.tokens - first)}, desk);
  }
}

}  // namespace
}  // namespace paddock
