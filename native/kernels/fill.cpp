// Stands in for ggml's function that fills a tensor with one number, row by row. llama.cpp's graph of EAGLE-3 has rows of one number each:
// the logits of the model's vocabulary, into which it puts those of the draft model's. With 152,000 tokens, this took 0.3 ms a token.
//
// Here the numbers of all rows are filled as one row, where they lie one after the other.

#include "formats.h"
#include "upstream.h"

using namespace paddock;

namespace {

Upstream<void(const ComputeParams *, Tensor *)> fill{"ggml_compute_forward_fill"};

/** Returns the number of floats in a tensor that lie one after the other; -1 if they do not, or are no floats. */
int64_t dense_floats(const Tensor *t) {
  if (t->type != F32) return -1;
  int64_t count = 1;
  for (int dimension = 0; dimension < 4; dimension++) {
    if (t->stride[dimension] != count * sizeof(float)) return -1;
    count *= t->count[dimension];
  }
  return count;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void ggml_compute_forward_fill(const ComputeParams *params,
                                                                                 Tensor *out) {
  const int64_t count = dense_floats(out);
  if (count < 0) {
    fill.find(__builtin_return_address(0))(params, out);
    return;
  }
  float value;
  __builtin_memcpy(&value, out->op_params, sizeof value);
  float *numbers = static_cast<float *>(out->data);
  const int64_t to = count * (params->thread + 1) / params->threads;
  for (int64_t index = count * params->thread / params->threads; index < to; index++) numbers[index] = value;
}
