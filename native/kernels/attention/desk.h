#pragma once

// What a block of attention is, and what a thread works with: its desk. Masks, and the softmax of a tile.

#include "../products/floats.h"

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
  /** The cells of the keys of a tile for few rows. */
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

/** Turns the scores of all rows for a tile into weights. */
INLINE void weigh_all(const Block &block, Desk &desk) {
  for (int64_t row = 0; row < block.rows(); row++) {
    const int64_t token = row / block.group();
    if (desk.sees[token] != Desk::NONE) weigh(desk, row, token, block.a.value_depth);
    else __builtin_memset(desk.scores + row * KEYS, 0, sizeof(float) * KEYS);
  }
}

}  // namespace
}  // namespace paddock
