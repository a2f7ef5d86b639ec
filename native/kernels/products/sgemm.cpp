// Stands in for ggml's function of the same name, which its CPU library asks for each product of a matrix and several
// columns.

#include "../choice.h"
#include "../upstream.h"

using namespace paddock;

namespace {

using Sgemm = bool(const ComputeParams *, int64_t, int64_t, int64_t, const void *, int64_t, const void *, int64_t,
                   void *, int64_t, int, int, int);

Upstream<Sgemm> upstream_sgemm{"llamafile_sgemm"};

}  // namespace

/**
 * Computes C = A times B as ggml lays them out: A has `m` rows of `k` blocks, B has `n` columns. The strides are in
 * blocks; that of C is in floats. Returns false if ggml has to compute it otherwise: it then converts B to the type
 * that A is multiplied by, and asks again.
 */
extern "C" __attribute__((visibility("default"))) bool llamafile_sgemm(const ComputeParams *params, int64_t m,
                                                                       int64_t n, int64_t k, const void *a,
                                                                       int64_t lda, const void *b, int64_t ldb, void *c,
                                                                       int64_t ldc, int a_type, int b_type,
                                                                       int c_type) {
  const KernelSet *set = chosen_kernels();
  if (set && c_type == F32) {
    const Kernel kernel = kernel_for(*set, a_type, b_type, n);
    const int64_t depth = k * block_length(a_type);
    // Rows of 16-bit floats are read eight at a time.
    if (kernel && (block_length(a_type) > 1 || depth % 8 == 0)) {
      if (params->thread == 0) count_product(a_type);
      const Columns columns{static_cast<const char *>(b), ldb * block_bytes(b_type), static_cast<char *>(c),
                            ldc * sizeof(float), nullptr, 0, 0};
      const auto *weights = static_cast<const char *>(a);
      kernel({weights, lda * block_bytes(a_type), m, n, depth, columns, params->thread, params->threads});
      return true;
    }
  }
  Sgemm *stock = upstream_sgemm.find(__builtin_return_address(0));
  return stock && stock(params, m, n, k, a, lda, b, ldb, c, ldc, a_type, b_type, c_type);
}
