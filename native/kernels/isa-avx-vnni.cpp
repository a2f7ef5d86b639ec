#include "vector-256.h"
//
#include "kernel-set.h"

namespace paddock {
const KernelSet AVX_VNNI = kernels_named("AVX-VNNI");
}
