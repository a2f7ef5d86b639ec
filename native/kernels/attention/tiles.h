#pragma once

// The scores of a tile of keys and the sums of its values.

#include "few.h"
#include "panels.h"

namespace paddock {
namespace {

INLINE Anywhere listed(Desk &, Anywhere cells) { return cells; }
INLINE Anywhere listed(Desk &desk, InTurn cells) {
  for (int64_t k = 0; k < KEYS; k++) desk.cells[k] = cells.at(k);
  return {desk.cells};
}

/** Up to so many rows are few. */
constexpr int FEW_ROWS = 8;

/** Computes a tile at these cells, whose masks were read. */
template <class Cells, int R = FEW_ROWS>
static void attend_tile(const Block &block, Desk &desk, Cells cells) {
  if constexpr (R > 0) {
    if (block.rows() < R) return attend_tile<Cells, R - 1>(block, desk, cells);
    if (block.rows() == R && !block.a.one_order) return attend_few<R>(block, desk, listed(desk, cells));
  }
  attend_many(block, desk, cells);
}

}  // namespace
}  // namespace paddock
