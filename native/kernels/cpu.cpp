#include "cpu.h"

#include <cpuid.h>

#include <cstdint>

namespace paddock {

namespace {

constexpr uint32_t bit(int n) { return 1u << n; }

bool has(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

/** The registers that the operating system saves when it switches threads. */
uint64_t saved_registers() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

}  // namespace

Cpu this_cpu() {
  Cpu cpu{};
  uint32_t a, b, c, d;
  // OSXSAVE, without which `xgetbv` does not exist; AVX, FMA and F16C.
  if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, bit(27) | bit(28) | bit(12) | bit(29))) return cpu;
  const uint64_t saved = saved_registers();
  if ((saved & 0x6) != 0x6) return cpu;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return cpu;
  const uint32_t subleaves = a;
  cpu.avx2 = has(b, bit(5));
  // AVX512 F, DQ, BW and VL, then VNNI, with all of its registers.
  const bool avx512 = has(b, bit(16) | bit(17) | bit(30) | bit(31)) && has(c, bit(11));
  cpu.avx512_vnni = cpu.avx2 && avx512 && (saved & 0xe6) == 0xe6;
  if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) cpu.avx_vnni = cpu.avx2 && has(a, bit(4));
  return cpu;
}

}  // namespace paddock
