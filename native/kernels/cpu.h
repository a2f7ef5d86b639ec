#pragma once

namespace paddock {

/** The instructions that the processor has and the operating system keeps the registers of. */
struct Cpu {
  bool avx2;
  bool avx_vnni;
  bool avx512_vnni;
};

Cpu this_cpu();

}  // namespace paddock
