#pragma once

// Where the keys and the values of a tile lie: one after the other, or between the cells of other sequences.

#include "desk.h"

namespace paddock {
namespace {

/** The cells of a tile that lie one after the other. */
struct InTurn {
  int64_t first;
  INLINE_MEMBER int64_t at(int64_t k) const { return first + k; }
};

/** The cells of a tile that lie anywhere. */
struct Anywhere {
  const int64_t *cells;
  INLINE_MEMBER int64_t at(int64_t k) const { return cells[k]; }
};

/** What a tile is read from: a head of keys and values, at its cells. */
template <class Cells>
struct Head {
  const Cells cells;
  const char *keys, *values;
  size_t key_stride, value_stride;

  Head(const Block &block, Cells cells)
      : cells(cells),
        keys(block.a.keys + block.shared * block.a.key_head + block.stream * block.a.key_stream),
        values(block.a.values + block.shared * block.a.value_head + block.stream * block.a.value_stream),
        key_stride(block.a.key),
        value_stride(block.a.value) {}
  INLINE_MEMBER const char *key(int64_t k) const { return keys + cells.at(k) * key_stride; }
  INLINE_MEMBER const char *value(int64_t k) const { return values + cells.at(k) * value_stride; }
};

/** The keys of a strip, as `gather` reads them. */
template <class Cells>
struct Strip;

template <>
struct Strip<InTurn> {
  const char *start;
  size_t stride;
  Strip(const Head<InTurn> &head, int64_t k) : start(head.key(k)), stride(head.key_stride) {}
  INLINE_MEMBER const char *at(int row) const { return start + row * stride; }
};

template <>
struct Strip<Anywhere> {
  const char *each[Vector::LANES];
  Strip(const Head<Anywhere> &head, int64_t k) {
    for (int i = 0; i < Vector::LANES; i++) each[i] = head.key(k + i);
  }
  INLINE_MEMBER const char *at(int row) const { return each[row]; }
};

}  // namespace
}  // namespace paddock
