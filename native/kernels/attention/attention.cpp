// Stands in for ggml's function that computes attention, if the keys and values are 16-bit floats: llama.cpp's cache
// unless it is configured otherwise.

#include "../choice.h"
#include "../upstream.h"

using namespace paddock;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

Upstream<void(const ComputeParams *, Tensor *)> upstream_attention{"ggml_compute_forward_flash_attn_ext"};

uint64_t computed = 0;
bool one_order = false;

/** ggml's parameters of the operation. */
struct Settings {
  float scale, most_bias, softcap;
};

/** True if a tensor is as `attend` reads it: half floats, whose numbers lie one after the other. */
bool is_cache(const Tensor *t) { return t->type == F16 && t->stride[0] == 2; }

/** True if the kernel can compute these shapes. */
bool fits(const Tensor *out) {
  const Tensor *queries = out->source[0], *keys = out->source[1], *values = out->source[2], *mask = out->source[3];
  const int64_t *q = queries->count, *k = keys->count, *v = values->count;
  const bool masked = !mask || (mask->type == F16 && mask->count[2] == 1 && mask->stride[0] == 2 &&
                                (mask->count[3] == 1 || mask->count[3] == q[3]));
  return queries->type == F32 && queries->stride[0] == sizeof(float) && out->stride[0] == sizeof(float) &&
         out->stride[1] == v[0] * sizeof(float) && is_cache(keys) && is_cache(values) && masked &&
         k[0] % ATTENTION_STEP == 0 && v[0] % ATTENTION_STEP == 0 && k[0] <= MOST_HEAD && v[0] <= MOST_HEAD &&
         k[1] % ATTENTION_KEYS == 0 && q[2] % k[2] == 0 && q[2] / k[2] <= MOST_GROUP && v[2] == k[2] && k[3] == q[3] &&
         v[3] == q[3];
}

/** True if there are so few parts that ggml's function, which also divides the keys among the threads, is faster. */
bool is_narrow(const Tensor *out, int threads) {
  const Tensor *queries = out->source[0], *keys = out->source[1];
  constexpr int64_t FASTER = 4;
  return queries->count[1] == 1 && keys->count[2] * queries->count[3] * FASTER < threads;
}

}  // namespace

EXPORT void ggml_compute_forward_flash_attn_ext(const ComputeParams *params, Tensor *out) {
  const KernelSet *set = chosen_kernels();
  Settings settings;
  __builtin_memcpy(&settings, out->op_params, sizeof settings);
  if (!set || settings.most_bias != 0 || settings.softcap != 0 || !fits(out) || is_narrow(out, params->threads)) {
    upstream_attention.find(__builtin_return_address(0))(params, out);
    return;
  }
  if (params->thread == 0) __atomic_fetch_add(&computed, 1, __ATOMIC_RELAXED);
  const Tensor *q = out->source[0], *k = out->source[1], *v = out->source[2], *mask = out->source[3];
  const Tensor *sinks = out->source[4];
  Attention a{};
  a.queries = static_cast<const char *>(q->data);
  a.query_token = q->stride[1], a.query_head = q->stride[2], a.query_stream = q->stride[3];
  a.keys = static_cast<const char *>(k->data);
  a.key = k->stride[1], a.key_head = k->stride[2], a.key_stream = k->stride[3];
  a.values = static_cast<const char *>(v->data);
  a.value = v->stride[1], a.value_head = v->stride[2], a.value_stream = v->stride[3];
  if (mask) {
    a.mask = static_cast<const char *>(mask->data);
    a.mask_token = mask->stride[1], a.mask_stream = mask->count[3] == 1 ? 0 : mask->stride[3];
  }
  if (sinks) a.sinks = static_cast<const float *>(sinks->data);
  a.out = static_cast<float *>(out->data);
  a.tokens = q->count[1], a.heads = q->count[2], a.streams = q->count[3], a.key_heads = k->count[2];
  a.count = k->count[1], a.key_depth = k->count[0], a.value_depth = v->count[0];
  a.scale = settings.scale;
  a.one_order = __atomic_load_n(&one_order, __ATOMIC_RELAXED);
  a.thread = params->thread, a.threads = params->threads;
  set->attend(a);
}

/** Returns the number of attentions that were computed here. */
EXPORT uint64_t paddock_kernels_attentions() { return __atomic_load_n(&computed, __ATOMIC_RELAXED); }

/** Has each row's sums in one order from now on, however many rows are computed with it. Few rows are slower then. */
EXPORT void paddock_kernels_keep_order() { __atomic_store_n(&one_order, true, __ATOMIC_RELAXED); }
