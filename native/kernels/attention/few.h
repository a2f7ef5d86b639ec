#pragma once

// A tile for few rows: each key and each value is unpacked where it is multiplied, which is up to four times as fast as
// with panels. The numbers of a key are summed in another order than there.

#include "cells.h"

namespace paddock {
namespace {

INLINE __m256 eight_halves(const char *p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}

/** Stores the sums of the lanes of each vector. */
INLINE void store_sums(float *to, const __m256 (&x)[4]) {
  const __m256 pairs = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
  _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1)));
}
INLINE void store_sums(float *to, const __m256 (&x)[2]) {
  const __m256 pairs = _mm256_hadd_ps(x[0], x[1]);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
  _mm_storel_pi(reinterpret_cast<__m64 *>(to), _mm_hadd_ps(four, four));
}

/**
 * Asks the memory for the key that is `ahead` keys further and for the value of this one: the processor does not foresee
 * these reads.
 */
INLINE void ask_for(const Head<Anywhere> &head, const Attention &a, int64_t k, int64_t ahead) {
  const char *key = head.key(k + ahead < KEYS ? k + ahead : k), *value = head.value(k);
  for (int64_t d = 0; d < a.key_depth; d += 32) __builtin_prefetch(key + 2 * d);
  for (int64_t d = 0; d < a.value_depth; d += 32) __builtin_prefetch(value + 2 * d);
}

/** The scores of R rows. */
template <int R>
INLINE void score_few(const Head<Anywhere> &head, const Attention &a, Desk &desk) {
  /** Keys whose sums stay in registers together. */
  constexpr int TOGETHER = R > 3 ? 2 : 4;
  for (int64_t k = 0; k < KEYS; k += TOGETHER) {
    const char *keys[TOGETHER];
    UNROLL for (int i = 0; i < TOGETHER; i++) {
      keys[i] = head.key(k + i);
      ask_for(head, a, k + i, TOGETHER);
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
    UNROLL for (int r = 0; r < R; r++) store_sums(desk.scores + r * KEYS + k, total[r]);
  }
}

/** Adds the values of a tile to the sums of R rows. */
template <int R>
INLINE void sum_few(const Head<Anywhere> &head, const Attention &a, Desk &desk) {
  /** Vectors of each row that stay in registers together, of which there are 16. */
  constexpr int WIDE = R > 6 ? 1 : R > 2 ? 2 : 4;
  for (int64_t d = 0; d < a.value_depth; d += 8 * WIDE) {
    __m256 total[R][WIDE];
    UNROLL for (int r = 0; r < R; r++)
      UNROLL for (int i = 0; i < WIDE; i++) total[r][i] = _mm256_loadu_ps(desk.sums + r * a.value_depth + d + 8 * i);
    for (int64_t k = 0; k < KEYS; k++) {
      const char *values = head.value(k) + 2 * d;
      __m256 value[WIDE];
      UNROLL for (int i = 0; i < WIDE; i++) value[i] = eight_halves(values + 16 * i);
      UNROLL for (int r = 0; r < R; r++) {
        const __m256 weight = _mm256_broadcast_ss(desk.scores + r * KEYS + k);
        UNROLL for (int i = 0; i < WIDE; i++) total[r][i] = _mm256_fmadd_ps(value[i], weight, total[r][i]);
      }
    }
    UNROLL for (int r = 0; r < R; r++)
      UNROLL for (int i = 0; i < WIDE; i++) _mm256_storeu_ps(desk.sums + r * a.value_depth + d + 8 * i, total[r][i]);
  }
}

/** Computes a tile for R rows. */
template <int R>
static __attribute__((noinline)) void attend_few(const Block &block, Desk &desk, Anywhere cells) {
  const Head<Anywhere> head(block, cells);
  score_few<R>(head, block.a, desk);
  weigh_all(block, desk);
  sum_few<R>(head, block.a, desk);
}

}  // namespace
}  // namespace paddock
