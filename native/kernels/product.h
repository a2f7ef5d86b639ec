#pragma once

#include "formats.h"

namespace paddock {

/** Where ggml's router put the choices of one expert: column i is for slot `slot` of token `token`. */
struct ExpertRow {
  int32_t slot;
  int32_t token;
};

/** The columns of a product: the activations that are read and the results that are written. Strides are in bytes. */
struct Columns {
  const char *in;
  size_t in_stride;
  char *out;
  size_t out_stride;
  /** Null for a plain product, whose columns lie one stride apart. */
  const ExpertRow *rows;
  /** Of an expert's product: how many different activations each token has, and the second strides. */
  int64_t in_slots;
  size_t out_token_stride;

  const char *input(int64_t i) const {
    if (!rows) return in + i * in_stride;
    return in + (rows[i].slot % in_slots + rows[i].token * in_slots) * in_stride;
  }

  float *output(int64_t i) const {
    if (!rows) return reinterpret_cast<float *>(out + i * out_stride);
    return reinterpret_cast<float *>(out + rows[i].slot * out_stride + rows[i].token * out_token_stride);
  }
};

/**
 * A product of a matrix of weights and columns of activations, of which thread `thread` of `threads` computes its part.
 * A row of weights has `depth` numbers, as each column has.
 */
struct Product {
  const char *weights;
  size_t row_stride;
  int64_t rows;
  int64_t columns;
  int64_t depth;
  Columns activations;
  int thread;
  int threads;
};

/** A head has a multiple of so many numbers, and no more than MOST_HEAD. */
constexpr int64_t ATTENTION_STEP = 32;
constexpr int64_t MOST_HEAD = 256;
/** There is a multiple of so many keys: llama.cpp asks for multiples of 256. */
constexpr int64_t ATTENTION_KEYS = 64;
/** The most heads of queries that share a head of keys. */
constexpr int64_t MOST_GROUP = 64;

/**
 * The attention of some tokens to the keys of a cache, of which thread `thread` of `threads` computes its part. Strides
 * are in bytes: from token to token, key to key or value to value, from head to head, and from sequence to sequence.
 */
struct Attention {
  const char *queries;
  size_t query_token, query_head, query_stream;
  const char *keys;
  size_t key, key_head, key_stream;
  const char *values;
  size_t value, value_head, value_stream;
  /** What is added to the score of each token and key; null adds nothing. */
  const char *mask;
  size_t mask_token, mask_stream;
  /** A score of each head that no key has; null without. */
  const float *sinks;
  /** The numbers of a head, the heads, the tokens, then the sequences, one behind the other. */
  float *out;
  int64_t tokens, heads, key_heads, streams;
  /** The keys of a sequence, and the numbers of a head of keys and of values. */
  int64_t count, key_depth, value_depth;
  float scale;
  /** True if a row's sums are to have one order, however many rows are computed with it. */
  bool one_order;
  int thread;
  int threads;
};

using Kernel = void (*)(const Product &);

/**
 * The kernels of one instruction set: by weight type, for activations as ggml quantizes them for that type; null where
 * there is none.
 */
struct KernelSet {
  const char *name;
  Kernel quantized[TYPES];
  /** The same for products of one column. */
  Kernel one_column[TYPES];
  /** For activations in 32-bit floats. */
  Kernel f16_f32;
  Kernel bf16_f32;
  /** For activations in 16-bit floats of the weights' kind. */
  Kernel f16_f16;
  Kernel bf16_bf16;
  /** Computes attention: see attention/attend.h. */
  void (*attend)(const Attention &);
  /** Finds the highest logits: see highest.h. */
  int32_t (*highest)(const float *all, int32_t count, int32_t most, int32_t *tokens, float *logits);
  /** Multiplies bytes in registers, as fast as the processor can, `rounds` times. Returns the number of products. */
  uint64_t (*limit)(int64_t rounds);
};

extern const KernelSet AVX512_VNNI;
extern const KernelSet AVX_VNNI;
extern const KernelSet AVX2;

}  // namespace paddock
