#pragma once

#include "run.h"

namespace paddock {
namespace {

/** Adds to the sums of C columns and of all strips the products of 4 * STEPS numbers of weights and of activations. */
template <int BITS, int STEPS, int C>
INLINE void dots(Vector::I sum[C][Vector::STRIPS], const int32_t (*values)[Vector::LANES], const char *const *in,
                 size_t at) {
  using V = Vector;
  constexpr int S = V::STRIPS;
  constexpr int MOST = V::SUMS<BITS>;
  constexpr int EACH = MOST == 0 || MOST > STEPS ? STEPS : MOST;
  UNROLL for (int start = 0; start < STEPS; start += EACH) {
    V::I some[C][S];
    if (MOST) {
      UNROLL for (int j = 0; j < C; j++)
        UNROLL for (int s = 0; s < S; s++) some[j][s] = V::zero();
    }
    UNROLL for (int t = start; t < start + EACH; t++) {
      V::I w[S];
      UNROLL for (int s = 0; s < S; s++) w[s] = V::load(values[t * S + s]);
      UNROLL for (int j = 0; j < C; j++) {
        const V::I b = V::broadcast(in[j] + at + 4 * t);
        UNROLL for (int s = 0; s < S; s++) {
          V::I &to = MOST ? some[j][s] : sum[j][s];
          to = V::dot<BITS>(to, w[s], b);
          V::in_order(to);
        }
      }
    }
    if (MOST) {
      UNROLL for (int j = 0; j < C; j++)
        UNROLL for (int s = 0; s < S; s++) {
          sum[j][s] = V::add(sum[j][s], V::widen(some[j][s]));
          V::in_order(sum[j][s]);
        }
    }
  }
}

/** The sum of 32 signed bytes. */
INLINE int32_t sum32(const char *p) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes);
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  __m128i x = _mm_add_epi32(_mm256_castsi256_si128(fours), _mm256_extracti128_si256(fours, 1));
  x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
  x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1));
  return _mm_cvtsi128_si32(x);
}

INLINE float half(const char *p) {
  uint16_t bits;
  __builtin_memcpy(&bits, p, 2);
  return _cvtsh_ss(bits);
}

}  // namespace
}  // namespace paddock
