// Stands in for the functions that ggml's CPU library asks to multiply the matrix of one expert by the tokens that the
// router gave it. ggml has them for its IQ types alone; here they also take the types that have kernels.

#include "../choice.h"
#include "../upstream.h"

using namespace paddock;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

Upstream<bool(const Tensor *)> supports{"ggml_cpu_iqp_supports_mul_mat_id"};
Upstream<size_t(const Tensor *)> scratch{"ggml_cpu_iqp_scratch_size"};
Upstream<bool(int64_t)> enough{"ggml_cpu_iqp_mul_mat_id_min_batch"};
Upstream<void(const ComputeParams *, Tensor *, int64_t, int64_t, const int32_t *, void *)> compute{
    "ggml_compute_forward_mul_mat_id_iqp"};

/**
 * The columns that are enough for the product that this thread was last asked about; 0 if it is not computed here. ggml
 * asks about the columns of an expert without the product.
 */
__thread int64_t enough_columns = 0;

bool is_ours(const Tensor *out) {
  const KernelSet *set = chosen_kernels();
  const Tensor *weights = out->source[0], *activations = out->source[1];
  const int converted = activation_type(weights->type);
  if (!set || converted < 0 || activations->type != F32 || out->type != F32) return false;
  return kernel_for(*set, weights->type, converted, least_columns(weights->type)) && weights->count[0] % 8 == 0 &&
         weights->count[3] == 1 && activations->count[3] == 1 && out->stride[0] == sizeof(float);
}

}  // namespace

EXPORT bool ggml_cpu_iqp_supports_mul_mat_id(const Tensor *out) {
  enough_columns = is_ours(out) ? least_columns(out->source[0]->type) : 0;
  if (enough_columns) return true;
  auto *stock = supports.find(__builtin_return_address(0));
  return stock && stock(out);
}

/** The bytes of working memory that a thread needs; the kernels have theirs on the stack. */
EXPORT size_t ggml_cpu_iqp_scratch_size(const Tensor *out) {
  // Also asked for plain products, which are never computed here by way of these functions.
  const bool expert = out->source[2] != nullptr;
  if (expert && is_ours(out)) return 0;
  auto *stock = scratch.find(__builtin_return_address(0));
  return stock ? stock(out) : 0;
}

EXPORT bool ggml_cpu_iqp_mul_mat_id_min_batch(int64_t columns) {
  if (enough_columns) return columns >= enough_columns;
  auto *stock = enough.find(__builtin_return_address(0));
  return stock && stock(columns);
}

EXPORT void ggml_compute_forward_mul_mat_id_iqp(const ComputeParams *params, Tensor *out, int64_t expert,
                                                int64_t columns, const int32_t *rows, void *panels) {
  if (!is_ours(out)) {
    auto *stock = compute.find(__builtin_return_address(0));
    if (stock) stock(params, out, expert, columns, rows, panels);
    return;
  }
  const Tensor *weights = out->source[0], *activations = out->source[1];
  const int converted = activation_type(weights->type);
  const int64_t depth = weights->count[0];
  const size_t column_bytes = depth / block_length(converted) * block_bytes(converted);
  if (params->thread == 0) count_product(weights->type);
  // ggml has converted the activations into the working memory, one token after the other.
  const Columns at{static_cast<const char *>(params->work),
                   column_bytes,
                   static_cast<char *>(out->data),
                   out->stride[1],
                   reinterpret_cast<const ExpertRow *>(rows),
                   activations->count[1],
                   out->stride[2]};
  const char *matrix = static_cast<const char *>(weights->data) + expert * weights->stride[2];
  const Kernel kernel = kernel_for(*chosen_kernels(), weights->type, converted, columns);
  kernel({matrix, weights->stride[1], weights->count[1], columns, depth, at, params->thread, params->threads});
}
