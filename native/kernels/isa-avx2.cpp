#include "vector-256.h"
//
#include "kernel-set.h"

namespace paddock {
const KernelSet AVX2 = kernels_named("AVX2");
}
