#pragma once

// Flash attention for keys and values in 16-bit floats: the softmax of the scores goes on from tile to tile of keys, so
// that the scores of a row never have to be in memory together (Dao et al. 2022, https://arxiv.org/abs/2205.14135).
//
// All heads of queries that share a head of keys are rows of one block, so each key and each value is read and unpacked
// once for them.
//
// Several sequences may share one cache, where the cells of one lie between those of others. So tokens that see mostly
// the same cells are computed together, and only the cells that one of them sees are read. Where these lie close
// together, a tile is read as it lies.

#include "tiles.h"

namespace paddock {
namespace {

/** Computes the tile of the waiting cells, of which there is at least one. */
static void attend_waiting(const Block &block, Desk &desk) {
  for (int64_t k = desk.waits; k < KEYS; k++) desk.waiting[k] = desk.waiting[desk.waits - 1];
  for (int64_t token = 0; token < block.tokens; token++) {
    uint16_t *mask = desk.waiting_mask + token * KEYS;
    for (int64_t k = desk.waits; k < KEYS; k++) mask[k] = HIDDEN;
    read_mask(desk, token, reinterpret_cast<const char *>(mask));
  }
  desk.waits = 0;
  attend_tile(block, desk, Anywhere{desk.waiting});
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
    for (int64_t token = 0; a.mask && token < block.tokens; token++) {
      read_mask(desk, token, block.mask_of(token) + 2 * key);
    }
    attend_tile(block, desk, InTurn{key});
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
