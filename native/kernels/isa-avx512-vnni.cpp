#include "vector-512.h"
//
#include "kernel-set.h"

namespace paddock {
const KernelSet AVX512_VNNI = kernels_named("AVX512-VNNI");
}
