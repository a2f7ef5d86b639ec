#pragma once

// The table of kernels. Each instruction set has a file that is compiled for it and includes its vectors and this.

#include "blocks.h"
#include "floats.h"
#include "supers.h"

namespace paddock {
namespace {

constexpr KernelSet kernels_named(const char *name) {
  KernelSet set{};
  set.name = name;
  set.quantized[Q8_0] = run<Blocks<FromQ8_0>>;
  set.quantized[Q5_0] = run<Blocks<FromQ5_0>>;
  set.quantized[Q4_0] = run<Blocks<FromQ4_0>>;
  set.quantized[Q4_K] = run<Supers<FromQ4_K>>;
  set.quantized[Q5_K] = run<Supers<FromQ5_K>>;
  set.quantized[Q6_K] = run<Supers<FromQ6_K>>;
  set.f16_f32 = run<Floats<FromF16, false>>;
  set.bf16_f32 = run<Floats<FromBF16, false>>;
  set.f16_f16 = run<Floats<FromF16, true>>;
  set.bf16_bf16 = run<Floats<FromBF16, true>>;
  return set;
}

}  // namespace
}  // namespace paddock
