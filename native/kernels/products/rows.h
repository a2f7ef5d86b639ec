#pragma once

// Kernels for one column: each row of weights is read once, from start to end, so that the memory decides the speed.
// Q4_K alone needs one: ggml's own kernel for the plain layout keeps up with the memory for the other types.

#include "dots.h"

namespace paddock {
namespace {

/** Sums the lanes. */
INLINE float sum_of(__m128 x) {
  x = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}

/** The 6-bit scales and minima of Q4_K, a byte each. */
struct SixBits {
  uint64_t scales, minima;

  explicit SixBits(const char *block) {
    uint32_t a, b, c;
    __builtin_memcpy(&a, block + 4, 4);
    __builtin_memcpy(&b, block + 8, 4);
    __builtin_memcpy(&c, block + 12, 4);
    const uint32_t low = 0x0f0f0f0f, top = 0x30303030, all = 0x3f3f3f3f;
    scales = (a & all) | static_cast<uint64_t>((c & low) | ((a >> 2) & top)) << 32;
    minima = (b & all) | static_cast<uint64_t>(((c >> 4) & low) | ((b >> 2) & top)) << 32;
  }
};

INLINE __m128i in_vector(uint64_t bytes) { return _mm_cvtsi64_si128(static_cast<int64_t>(bytes)); }

INLINE float row_of_q4_k(const char *row, const char *in, int64_t blocks) {
  using V = Vector;
  // A vector has the numbers of one sub-block of 32, or of two.
  constexpr int SUBS = V::LANES / 8;
  const V::I low_half = V::set(0x0f0f0f0f);
  // As many sums as with vectors of 512 bits, in the same order, so that the results are the same.
  constexpr int PARTS = 2 / SUBS;
  V::F total[PARTS][2];
  UNROLL for (int i = 0; i < PARTS; i++) total[i][0] = total[i][1] = V::zero_f();
  __m128 below = _mm_setzero_ps();
  for (int64_t block = 0; block < blocks; block++, row += Q4_K_BYTES, in += Q8_K_BYTES) {
    const SixBits six(row);
    float d;
    __builtin_memcpy(&d, in, 4);
    const __m256 scales =
        _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(in_vector(six.scales))), _mm256_set1_ps(half(row) * d));
    const char *bytes = in + Q8_K_VALUES;
    UNROLL for (int j = 0; j < 4; j += SUBS) {
      const V::I values = V::load(row + Q4_K_VALUES + 32 * j);
      const char *at = bytes + 64 * j;
      const V::I low = V::bit_and(values, low_half), high = V::bit_and(V::right<4>(values), low_half);
      const V::I even = V::widen(V::dot<4>(V::zero(), low, V::load_parts(at)));
      const V::I odd = V::widen(V::dot<4>(V::zero(), high, V::load_parts(at + 32)));
      V::F *to = total[j / SUBS % PARTS];
      to[0] = V::mul_add(V::to_float(even), V::every_other(scales, 2 * j), to[0]);
      to[1] = V::mul_add(V::to_float(odd), V::every_other(scales, 2 * j + 1), to[1]);
    }
    const __m128i *sums = reinterpret_cast<const __m128i *>(in + Q8_K_SUMS);
    const __m128i of_subs = _mm_hadd_epi16(_mm_loadu_si128(sums), _mm_loadu_si128(sums + 1));
    const __m128 least = _mm_cvtepi32_ps(_mm_madd_epi16(_mm_cvtepu8_epi16(in_vector(six.minima)), of_subs));
    below = _mm_fmadd_ps(least, _mm_set1_ps(half(row + 2) * d), below);
  }
  V::F all = V::add_f(total[0][0], total[0][1]);
  if constexpr (PARTS == 2) all = V::add_f(all, V::add_f(total[1][0], total[1][1]));
  return sum_of(_mm_sub_ps(V::fold(all), below));
}

/** Multiplies by one column. The rows are divided evenly among the threads. */
static void one_column_q4_k(const Product &p) {
  const int64_t start = p.rows * p.thread / p.threads, end = p.rows * (p.thread + 1) / p.threads;
  const char *in = p.activations.input(0);
  float *out = p.activations.output(0);
  for (int64_t row = start; row < end; row++) {
    out[row] = row_of_q4_k(p.weights + row * p.row_stride, in, p.depth / SUPER);
  }
}

}  // namespace
}  // namespace paddock
