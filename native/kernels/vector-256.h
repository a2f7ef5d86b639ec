#pragma once

// Vectors of 256 bits, with AVX-VNNI if the compiler may use it and else with AVX2. Everything is in an anonymous
// namespace: the linker must never take a function that was compiled for these instructions in place of another file's.

#include <immintrin.h>

#include "formats.h"

namespace paddock {
namespace {

#define INLINE static inline __attribute__((always_inline))
#define INLINE_MEMBER inline __attribute__((always_inline))
/** Before a loop over registers, which must not become an array in memory. */
#define UNROLL _Pragma("GCC unroll 16")

#ifdef __AVXVNNI__
constexpr bool VNNI = true;
#else
constexpr bool VNNI = false;
#endif

struct Vector {
  using I = __m256i;
  using F = __m256;

  /** 32-bit numbers in a vector: a strip of as many rows. */
  static constexpr int LANES = 8;
  /** Strips that a kernel computes together, and the columns, so that all sums stay in the 16 registers. */
  static constexpr int STRIPS = 2;
  static constexpr int COLUMNS = VNNI ? 3 : 4;
  static constexpr int FLOAT_COLUMNS = 6;
  /**
   * Products that may be summed by `dot` before `widen`; 0: `dot` sums in 32 bits and nothing needs widening. Without
   * VNNI, `dot` sums in 16 bits, and each lane adds two products at once: 2 * 127 * (2^BITS - 1) * SUMS stays below
   * 2^15. The weights of 8 bits are signed.
   */
  template <int BITS>
  static constexpr int SUMS = VNNI ? 0 : BITS == 4 ? 8 : BITS == 5 ? 4 : BITS == 6 ? 2 : 1;
  /** What is added to signed bytes of 8 bits to make them unsigned. */
  static constexpr int OFFSET_8 = VNNI ? 128 : 0;

  INLINE I zero() { return _mm256_setzero_si256(); }
  INLINE I set(int32_t x) { return _mm256_set1_epi32(x); }
  INLINE I load(const void *p) { return _mm256_loadu_si256(static_cast<const I *>(p)); }
  INLINE void store(void *p, I x) { _mm256_storeu_si256(static_cast<I *>(p), x); }
  INLINE I broadcast(const void *p) {
    int32_t x;
    __builtin_memcpy(&x, p, 4);
    return _mm256_set1_epi32(x);
  }
  INLINE F zero_f() { return _mm256_setzero_ps(); }
  INLINE F set_f(float x) { return _mm256_set1_ps(x); }
  INLINE F load_f(const float *p) { return _mm256_loadu_ps(p); }
  INLINE void store_f(float *p, F x) { _mm256_storeu_ps(p, x); }
  /** Writes the first `count` numbers. */
  INLINE void store_first(float *p, F x, int count) { _mm256_maskstore_ps(p, first(count), x); }
  INLINE F load_first(const float *p, int count) { return _mm256_maskload_ps(p, first(count)); }

  /**
   * sum + the products of unsigned bytes of `w` and signed bytes of `b`, for `widen`. Signed bytes of `w` for 8 bits
   * without VNNI.
   */
  template <int BITS>
  INLINE I dot(I sum, I w, I b) {
#ifdef __AVXVNNI__
    return _mm256_dpbusd_avx_epi32(sum, w, b);
#else
    if constexpr (BITS == 8) return _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(b, w));
    return _mm256_add_epi16(sum, _mm256_maddubs_epi16(w, b));
#endif
  }
  /**
   * Makes the compiler finish this sum here. It would compute the products of a whole block first, and keep them in
   * memory, to add them up as a tree.
   */
  INLINE void in_order(I &x) { __asm__("" : "+x"(x)); }
  INLINE I widen(I sum) { return VNNI ? sum : _mm256_madd_epi16(sum, _mm256_set1_epi16(1)); }
  /** sum + the two products of signed 16-bit numbers, in each lane. */
  INLINE I dot16(I sum, I a, I b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }

  INLINE F to_float(I x) { return _mm256_cvtepi32_ps(x); }
  INLINE F add_f(F a, F b) { return _mm256_add_ps(a, b); }
  INLINE F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  INLINE F mul_add(F a, F b, F sum) { return _mm256_fmadd_ps(a, b, sum); }
  INLINE F mul_sub_from(F a, F b, F sum) { return _mm256_fnmadd_ps(a, b, sum); }

  INLINE I add(I a, I b) { return _mm256_add_epi32(a, b); }
  INLINE I mul_32(I a, I b) { return _mm256_mullo_epi32(a, b); }
  INLINE I bit_and(I a, I b) { return _mm256_and_si256(a, b); }
  INLINE I bit_or(I a, I b) { return _mm256_or_si256(a, b); }
  INLINE I bit_xor(I a, I b) { return _mm256_xor_si256(a, b); }
  template <int N>
  INLINE I right(I x) {
    return _mm256_srli_epi32(x, N);
  }
  template <int N>
  INLINE I right_signed(I x) {
    return _mm256_srai_epi32(x, N);
  }
  template <int N>
  INLINE I left(I x) {
    return _mm256_slli_epi32(x, N);
  }

  /** Reads 16 bytes at `offset` of each of 8 rows: out[i] has the i-th 32 bits of every row. */
  template <class R>
  INLINE void gather(I out[4], const R &rows, size_t offset) {
    I two[4];
    UNROLL for (int i = 0; i < 4; i++) {
      const I first = _mm256_castsi128_si256(part(rows.at(i) + offset));
      two[i] = _mm256_inserti128_si256(first, part(rows.at(i + 4) + offset), 1);
    }
    const I a = _mm256_unpacklo_epi32(two[0], two[1]), b = _mm256_unpackhi_epi32(two[0], two[1]);
    const I c = _mm256_unpacklo_epi32(two[2], two[3]), d = _mm256_unpackhi_epi32(two[2], two[3]);
    out[0] = _mm256_unpacklo_epi64(a, c);
    out[1] = _mm256_unpackhi_epi64(a, c);
    out[2] = _mm256_unpacklo_epi64(b, d);
    out[3] = _mm256_unpackhi_epi64(b, d);
  }

  /** 16-bit floats of 8 rows. */
  INLINE F load_half(const uint16_t *p) { return _mm256_cvtph_ps(part(reinterpret_cast<const char *>(p))); }
  /** The 16-bit floats in the low halves of the lanes. */
  INLINE F half_of_lanes(I x) {
    const I low = bit_and(x, set(0xffff));
    return _mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
  }
  /** As many bytes as a vector has. */
  INLINE I load_parts(const char *p) { return load(p); }
  /** Number `i` of eight in all lanes. */
  INLINE F every_other(__m256 eight, int i) { return _mm256_permutevar8x32_ps(eight, set(i)); }
  /** Sums the lanes down to four. */
  INLINE __m128 fold(F x) { return _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1)); }
  INLINE F as_float(I x) { return _mm256_castsi256_ps(x); }
  INLINE I as_int(F x) { return _mm256_castps_si256(x); }
  /** The nearest whole numbers. */
  INLINE I round(F x) { return _mm256_cvtps_epi32(x); }
  INLINE F max_f(F a, F b) { return _mm256_max_ps(a, b); }
  INLINE F sub_f(F a, F b) { return _mm256_sub_ps(a, b); }
  /** `y` where x >= least, and else 0. */
  INLINE F where_at_least(F x, F least, F y) { return _mm256_and_ps(_mm256_cmp_ps(x, least, _CMP_GE_OQ), y); }
  INLINE float highest_of(F x) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
  }
  /** Adds the lanes, eight after eight. */
  INLINE __m256 add_eights(__m256 sums, F x) { return _mm256_add_ps(sums, x); }

 private:
  INLINE __m128i part(const char *p) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); }
  INLINE I first(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

}  // namespace
}  // namespace paddock
