#pragma once

// The scores of a tile of keys and the sums of its values.

#include "few.h"
#include "panels.h"

namespace paddock {
namespace {

/** The cells as a list, which one function for few rows can read for both kinds of tiles. */
INLINE Anywhere listed(Desk &, Anywhere cells) { return cells; }
INLINE Anywhere listed(Desk &desk, InTurn cells) {
  for (int64_t k = 0; k < KEYS; k++) desk.cells[k] = cells.at(k);
  return {desk.cells};
}

/** Up to so many rows are few. */
constexpr int FEW_ROWS = 8;

/** Calls `attend_few` with the number of rows, which the compiler must know. */
template <int R = FEW_ROWS>
INLINE void attend_some(int64_t rows, const Block &block, Desk &desk, Anywhere cells) {
  if constexpr (R > 1) {
    if (rows < R) return attend_some<R - 1>(rows, block, desk, cells);
  }
  attend_few<R>(block, desk, cells);
}

/** Computes a tile at these cells, whose masks were read. */
template <class Cells>
static void attend_tile(const Block &block, Desk &desk, Cells cells) {
  const int64_t rows = block.rows();
  if (rows > FEW_ROWS || block.a.one_order) return attend_many(block, desk, cells);
  attend_some(rows, block, desk, listed(desk, cells));
}

}  // namespace
}  // namespace paddock
