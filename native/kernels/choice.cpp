#include "choice.h"

#include <cstdlib>
#include <cstring>

#include "cpu.h"

namespace paddock {

namespace {

struct Option {
  const char *name;
  const KernelSet *set;
};

/** In the order of preference. */
const Option OPTIONS[] = {{"avx512-vnni", &AVX512_VNNI}, {"avx-vnni", &AVX_VNNI}, {"avx2", &AVX2}};

const KernelSet *chosen = nullptr;
uint64_t products[TYPES];

bool runs_here(const KernelSet *set) {
  const Cpu cpu = this_cpu();
  return set == &AVX512_VNNI ? cpu.avx512_vnni : set == &AVX_VNNI ? cpu.avx_vnni : cpu.avx2;
}

void choose(const KernelSet *set) { __atomic_store_n(&chosen, set, __ATOMIC_RELEASE); }

const KernelSet *best() {
  for (const Option &option : OPTIONS) {
    if (runs_here(option.set)) return option.set;
  }
  return nullptr;
}

/**
 * Chooses the kernels by name: `off`, `best`, or a name of an instruction set. Returns false if the processor lacks it.
 */
bool choose_by_name(const char *name) {
  if (!strcmp(name, "off")) return choose(nullptr), true;
  if (!strcmp(name, "best")) return choose(best()), true;
  for (const Option &option : OPTIONS) {
    if (!strcmp(name, option.name) && runs_here(option.set)) return choose(option.set), true;
  }
  return false;
}

/** Runs when the library is opened. */
__attribute__((constructor)) void choose_at_start() {
  const char *wanted = getenv("PADDOCK_KERNELS");
  if (!wanted || !choose_by_name(wanted)) choose(best());
}

}  // namespace

const KernelSet *chosen_kernels() { return __atomic_load_n(&chosen, __ATOMIC_ACQUIRE); }

Kernel kernel_for(const KernelSet &set, int weights, int activations, int64_t columns) {
  const bool single = columns == 1 && weights >= 0 && weights < TYPES && set.one_column[weights];
  if (columns < (single ? 1 : least_columns(weights))) return nullptr;
  if (weights == F16) return activations == F32 ? set.f16_f32 : activations == F16 ? set.f16_f16 : nullptr;
  if (weights == BF16) return activations == F32 ? set.bf16_f32 : activations == BF16 ? set.bf16_bf16 : nullptr;
  if (weights < 0 || weights >= TYPES || activations != activation_type(weights)) return nullptr;
  return single ? set.one_column[weights] : set.quantized[weights];
}

int activation_type(int weights) {
  switch (weights) {
    case F16: case BF16: return weights;
    case Q4_0: case Q5_0: case Q8_0: return Q8_0;
    case Q4_K: case Q5_K: case Q6_K: return Q8_K;
    default: return -1;
  }
}

int64_t least_columns(int weights) { return weights == F16 ? 8 : weights == BF16 ? 16 : 2; }

size_t block_bytes(int type) {
  switch (type) {
    case F32: return 4;
    case F16: case BF16: return 2;
    case Q4_0: return Q4_0_BYTES;
    case Q5_0: return Q5_0_BYTES;
    case Q8_0: return Q8_0_BYTES;
    case Q4_K: return Q4_K_BYTES;
    case Q5_K: return Q5_K_BYTES;
    case Q6_K: return Q6_K_BYTES;
    case Q8_K: return Q8_K_BYTES;
    default: return 0;
  }
}

int64_t block_length(int type) {
  switch (type) {
    case F32: case F16: case BF16: return 1;
    case Q4_K: case Q5_K: case Q6_K: case Q8_K: return SUPER;
    default: return BLOCK;
  }
}

void count_product(int type) { __atomic_fetch_add(&products[type], 1, __ATOMIC_RELAXED); }

}  // namespace paddock

#define EXPORT extern "C" __attribute__((visibility("default")))

/**
 * Chooses the kernels: `off`, `best`, `avx512-vnni`, `avx-vnni` or `avx2`. Returns false, and changes nothing, if the
 * processor lacks it.
 */
EXPORT bool paddock_kernels_select(const char *name) { return paddock::choose_by_name(name); }

/** Returns the name of the instruction set that is used, `off`, or null if the processor has none of the three. */
EXPORT const char *paddock_kernels_describe() {
  const paddock::KernelSet *set = paddock::chosen_kernels();
  if (set) return set->name;
  return paddock::best() ? "off" : nullptr;
}

/** Returns the number of products with weights of this ggml type that were computed here. */
EXPORT uint64_t paddock_kernels_products(int type) {
  return type < 0 || type >= paddock::TYPES ? 0 : __atomic_load_n(&paddock::products[type], __ATOMIC_RELAXED);
}

/**
 * Writes the `most` highest of `count` logits and their tokens, the highest first and of equal ones the lower token, and
 * returns their number. Leaves out minus infinity and what is no number. Returns -1 if the kernels are off.
 */
EXPORT int32_t paddock_kernels_highest(const float *all, int32_t count, int32_t most, int32_t *tokens, float *logits) {
  const paddock::KernelSet *set = paddock::chosen_kernels();
  return set ? set->highest(all, count, most, tokens, logits) : -1;
}

/**
 * Multiplies bytes in registers for a benchmark, which measures the time. Returns the number of products; 0 if the
 * kernels are off.
 */
EXPORT uint64_t paddock_kernels_limit(int64_t rounds) {
  const paddock::KernelSet *set = paddock::chosen_kernels();
  return set ? set->limit(rounds) : 0;
}
