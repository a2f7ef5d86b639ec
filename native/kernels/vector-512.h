#pragma once

// Vectors of 512 bits with AVX512-VNNI. Everything is in an anonymous namespace: the linker must never take a function
// that was compiled for these instructions in place of another file's.

#include <immintrin.h>

#include "formats.h"

namespace paddock {
namespace {

#define INLINE static inline __attribute__((always_inline))
#define INLINE_MEMBER inline __attribute__((always_inline))
/** Before a loop over registers, which must not become an array in memory. */
#define UNROLL _Pragma("GCC unroll 16")

struct Vector {
  using I = __m512i;
  using F = __m512;

  /** 32-bit numbers in a vector: a strip of as many rows. */
  static constexpr int LANES = 16;
  /** Strips that a kernel computes together, and the columns, so that all sums stay in the 32 registers. */
  static constexpr int STRIPS = 2;
  static constexpr int COLUMNS = 6;
  static constexpr int FLOAT_COLUMNS = 12;
  /** Products that may be summed by `dot` before `widen`; 0: `dot` sums in 32 bits and nothing needs widening. */
  template <int BITS>
  static constexpr int SUMS = 0;
  /** What is added to signed bytes of 8 bits to make them unsigned. */
  static constexpr int OFFSET_8 = 128;

  /** Here the sums stay in registers without help. */
  INLINE void in_order(I &) {}
  INLINE I zero() { return _mm512_setzero_si512(); }
  INLINE I set(int32_t x) { return _mm512_set1_epi32(x); }
  INLINE I load(const void *p) { return _mm512_loadu_si512(p); }
  INLINE void store(void *p, I x) { _mm512_storeu_si512(p, x); }
  INLINE I broadcast(const void *p) {
    int32_t x;
    __builtin_memcpy(&x, p, 4);
    return _mm512_set1_epi32(x);
  }
  INLINE F zero_f() { return _mm512_setzero_ps(); }
  INLINE F set_f(float x) { return _mm512_set1_ps(x); }
  INLINE F load_f(const float *p) { return _mm512_loadu_ps(p); }
  INLINE void store_f(float *p, F x) { _mm512_storeu_ps(p, x); }
  /** Writes the first `count` numbers. */
  INLINE void store_first(float *p, F x, int count) {
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << count) - 1), x);
  }
  INLINE F load_first(const float *p, int count) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), p);
  }

  /** sum + the four products of unsigned bytes of `w` and signed bytes of `b`, in each lane. */
  template <int BITS>
  INLINE I dot(I sum, I w, I b) {
    return _mm512_dpbusd_epi32(sum, w, b);
  }
  INLINE I widen(I sum) { return sum; }
  /** sum + the two products of signed 16-bit numbers, in each lane. */
  INLINE I dot16(I sum, I a, I b) { return _mm512_dpwssd_epi32(sum, a, b); }

  INLINE F to_float(I x) { return _mm512_cvtepi32_ps(x); }
  INLINE F add_f(F a, F b) { return _mm512_add_ps(a, b); }
  INLINE F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  INLINE F mul_add(F a, F b, F sum) { return _mm512_fmadd_ps(a, b, sum); }
  INLINE F mul_sub_from(F a, F b, F sum) { return _mm512_fnmadd_ps(a, b, sum); }

  INLINE I add(I a, I b) { return _mm512_add_epi32(a, b); }
  INLINE I mul_32(I a, I b) { return _mm512_mullo_epi32(a, b); }
  INLINE I bit_and(I a, I b) { return _mm512_and_si512(a, b); }
  INLINE I bit_or(I a, I b) { return _mm512_or_si512(a, b); }
  INLINE I bit_xor(I a, I b) { return _mm512_xor_si512(a, b); }
  template <int N>
  INLINE I right(I x) {
    return _mm512_srli_epi32(x, N);
  }
  template <int N>
  INLINE I right_signed(I x) {
    return _mm512_srai_epi32(x, N);
  }
  template <int N>
  INLINE I left(I x) {
    return _mm512_slli_epi32(x, N);
  }

  /** Reads 16 bytes at `offset` of each of 16 rows: out[i] has the i-th 32 bits of every row. */
  template <class R>
  INLINE void gather(I out[4], const R &rows, size_t offset) {
    I four[4];
    UNROLL for (int i = 0; i < 4; i++) {
      I x = _mm512_castsi128_si512(part(rows.at(i) + offset));
      x = _mm512_inserti32x4(x, part(rows.at(i + 4) + offset), 1);
      x = _mm512_inserti32x4(x, part(rows.at(i + 8) + offset), 2);
      four[i] = _mm512_inserti32x4(x, part(rows.at(i + 12) + offset), 3);
    }
    const I a = _mm512_unpacklo_epi32(four[0], four[1]), b = _mm512_unpackhi_epi32(four[0], four[1]);
    const I c = _mm512_unpacklo_epi32(four[2], four[3]), d = _mm512_unpackhi_epi32(four[2], four[3]);
    out[0] = _mm512_unpacklo_epi64(a, c);
    out[1] = _mm512_unpackhi_epi64(a, c);
    out[2] = _mm512_unpacklo_epi64(b, d);
    out[3] = _mm512_unpackhi_epi64(b, d);
  }

  /** 16-bit floats of 16 rows. */
  INLINE F load_half(const uint16_t *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
  }
  /** The 16-bit floats in the low halves of the lanes. */
  INLINE F half_of_lanes(I x) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x)); }
  /** Twice 32 bytes, with 32 between them. */
  INLINE I load_parts(const char *p) {
    const __m256i *half = reinterpret_cast<const __m256i *>(p);
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(half)), _mm256_loadu_si256(half + 2), 1);
  }
  /** Number `i` of eight in the first half of the lanes, and number i + 2 in the second. */
  INLINE F every_other(__m256 eight, int i) {
    const I index = _mm512_setr_epi32(i, i, i, i, i, i, i, i, i + 2, i + 2, i + 2, i + 2, i + 2, i + 2, i + 2, i + 2);
    return _mm512_permutexvar_ps(index, _mm512_castps256_ps512(eight));
  }
  /** Sums the lanes down to four. */
  INLINE __m128 fold(F x) {
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
    return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  }
  INLINE F as_float(I x) { return _mm512_castsi512_ps(x); }
  INLINE I as_int(F x) { return _mm512_castps_si512(x); }
  /** The nearest whole numbers. */
  INLINE I round(F x) { return _mm512_cvtps_epi32(x); }
  INLINE F max_f(F a, F b) { return _mm512_max_ps(a, b); }
  INLINE F sub_f(F a, F b) { return _mm512_sub_ps(a, b); }
  /** `y` where x >= least, and else 0. */
  INLINE F where_at_least(F x, F least, F y) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, least, _CMP_GE_OQ), y);
  }
  INLINE float highest_of(F x) { return _mm512_reduce_max_ps(x); }
  /** Adds the lanes, eight after eight. */
  INLINE __m256 add_eights(__m256 sums, F x) {
    return _mm256_add_ps(_mm256_add_ps(sums, _mm512_castps512_ps256(x)), _mm512_extractf32x8_ps(x, 1));
  }

 private:
  INLINE __m128i part(const char *p) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); }
};

}  // namespace
}  // namespace paddock
