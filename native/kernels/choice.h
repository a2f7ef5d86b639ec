#pragma once

#include "product.h"

namespace paddock {

/** The kernels that are used; null if ggml's own are to compute everything. */
const KernelSet *chosen_kernels();

/**
 * Returns the kernel for weights and activations of these types and so many columns; null if the set has none, so that
 * ggml has to compute.
 */
Kernel kernel_for(const KernelSet &set, int weights, int activations, int64_t columns);

/** The type that ggml converts activations to for a kind of weights that is computed here; -1 for any other kind. */
int activation_type(int weights);

/**
 * The number of columns from which on the kernels for a type of weights are faster than ggml's. Single columns wait for
 * the memory, so that no kernel is faster; for few columns the packing of 16-bit floats takes longer than it saves.
 */
int64_t least_columns(int weights);

/** Bytes and numbers in a block of a type that is computed here. */
size_t block_bytes(int type);
int64_t block_length(int type);

/** Counts a product, once for all of its threads. */
void count_product(int type);

}  // namespace paddock
