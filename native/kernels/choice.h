#pragma once

#include "product.h"

namespace paddock {

/** The kernels that are used; null if upstream's are to compute everything. */
const KernelSet *chosen_kernels();

/**
 * Returns the kernel for weights and activations of these types in the chosen set; null if it has none, so that upstream's has to compute.
 */
Kernel kernel_for(const KernelSet &set, int weights, int activations);

/** The type that ggml converts activations to for a kind of weights that is computed here; -1 for any other kind. */
int activation_type(int weights);

/** Bytes and numbers in a block of a type that is computed here. */
size_t block_bytes(int type);
int64_t block_length(int type);

/** Counts a product, once for all of its threads. */
void count_product(int type);

}  // namespace paddock
