#pragma once

// The table of kernels. Each instruction set has a file that is compiled for it and includes its vectors and this.

#include "attention/attend.h"
#include "products/blocks.h"
#include "products/floats.h"
#include "highest.h"
#include "products/rows.h"
#include "products/supers.h"

namespace paddock {
namespace {

uint64_t multiply_in_registers(int64_t rounds) {
  using V = Vector;
  // As many sums as hide the time that one product takes.
  constexpr int SUMS = 12;
  V::I sums[SUMS];
  V::I weights = V::set(0x01020304), activations = V::set(0x04030201);
  UNROLL for (int i = 0; i < SUMS; i++) sums[i] = V::zero();
  for (int64_t round = 0; round < rounds; round++) {
    // The compiler must not see that the numbers are the same in each round.
    __asm__ volatile("" : "+x"(weights), "+x"(activations));
    UNROLL for (int i = 0; i < SUMS; i++) __asm__ volatile("" : "+x"(sums[i]));
    UNROLL for (int i = 0; i < SUMS; i++) {
      // Nor that they are the same for each sum.
      __asm__ volatile("" : "+x"(weights));
      sums[i] = V::dot<4>(sums[i], weights, activations);
    }
  }
  UNROLL for (int i = 0; i < SUMS; i++) __asm__ volatile("" : : "x"(sums[i]));
  return static_cast<uint64_t>(rounds) * SUMS * V::LANES * 4;
}

constexpr KernelSet kernels_named(const char *name) {
  KernelSet set{};
  set.name = name;
  set.quantized[Q8_0] = run<Blocks<FromQ8_0>>;
  set.quantized[Q5_0] = run<Blocks<FromQ5_0>>;
  set.quantized[Q4_0] = run<Blocks<FromQ4_0>>;
  set.quantized[Q4_K] = run<Supers<FromQ4_K>>;
  set.quantized[Q5_K] = run<Supers<FromQ5_K>>;
  set.quantized[Q6_K] = run<Supers<FromQ6_K>>;
  set.one_column[Q4_K] = one_column_q4_k;
  set.f16_f32 = run<Floats<FromF16, false>>;
  set.bf16_f32 = run<Floats<FromBF16, false>>;
  set.f16_f16 = run<Floats<FromF16, true>>;
  set.bf16_bf16 = run<Floats<FromBF16, true>>;
  set.attend = attend;
  set.highest = highest;
  set.limit = multiply_in_registers;
  return set;
}

}  // namespace
}  // namespace paddock
