#pragma once

// Finds the highest of all logits: a sampler needs few of them, and the vocabulary has up to 250,000. Nearly all logits
// are below those that were found, so that a comparison of 32 at once decides.

#include <immintrin.h>

#include <cstdint>

namespace paddock {
namespace {

/**
 * The highest logits so far, as a heap: the one that comes last is on top. Of equal logits, the lower token comes first.
 */
struct Highest {
  int32_t *tokens;
  float *logits;
  int32_t size;

  INLINE_MEMBER bool before(int32_t a, int32_t b) const {
    return logits[a] > logits[b] || (logits[a] == logits[b] && tokens[a] < tokens[b]);
  }
  INLINE_MEMBER void swap(int32_t a, int32_t b) {
    const int32_t token = tokens[a];
    const float logit = logits[a];
    tokens[a] = tokens[b], logits[a] = logits[b];
    tokens[b] = token, logits[b] = logit;
  }
  void rise(int32_t at) {
    for (int32_t parent = (at - 1) / 2; at > 0 && before(parent, at); at = parent, parent = (at - 1) / 2) swap(parent, at);
  }
  void sink(int32_t at) {
    for (int32_t child = 2 * at + 1; child < size; at = child, child = 2 * at + 1) {
      if (child + 1 < size && before(child, child + 1)) child++;
      if (before(child, at)) return;
      swap(child, at);
    }
  }
  /** Sorts them, the highest first. */
  void sort() {
    const int32_t all = size;
    while (size > 1) {
      swap(0, --size);
      sink(0);
    }
    size = all;
  }
};

INLINE int above(const float *logits, __m256 least) {
  return _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(logits), least, _CMP_GT_OQ));
}

/**
 * Writes the `most` highest of `count` logits and their tokens, the highest first, and returns their number. Leaves out
 * minus infinity and what is no number.
 */
static int32_t highest(const float *all, int32_t count, int32_t most, int32_t *tokens, float *logits) {
  Highest found{tokens, logits, 0};
  float least = -__builtin_inff();
  const auto look = [&](int32_t token) {
    if (!(all[token] > least)) return;
    const int32_t at = found.size < most ? found.size++ : 0;
    tokens[at] = token, logits[at] = all[token];
    if (at > 0) found.rise(at);
    else found.sink(0);
    if (found.size == most) least = logits[0];
  };
  if (most < 1) return 0;
  int32_t token = 0;
  for (; token + 32 <= count; token += 32) {
    const float *some = all + token;
    const __m256 bound = _mm256_set1_ps(least);
    uint32_t mask = above(some, bound) | above(some + 8, bound) << 8 | above(some + 16, bound) << 16 |
                    static_cast<uint32_t>(above(some + 24, bound)) << 24;
    for (; mask != 0; mask &= mask - 1) look(token + __builtin_ctz(mask));
  }
  for (; token < count; token++) look(token);
  found.sort();
  return found.size;
}

}  // namespace
}  // namespace paddock
