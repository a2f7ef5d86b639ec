#pragma once

// What the kernels know of ggml: the numbers of its tensor types, the sizes and offsets of its blocks, and the fields
// of its structs that are read here. They are the ones of the llama.cpp that node-llama-cpp is pinned to;
// test/native/kernels checks them against it.

#include <cstddef>
#include <cstdint>

namespace paddock {

enum Type : int {
  F32 = 0,
  F16 = 1,
  Q4_0 = 2,
  Q5_0 = 6,
  Q8_0 = 8,
  Q4_K = 12,
  Q5_K = 13,
  Q6_K = 14,
  Q8_K = 15,
  IQ4_NL = 20,
  BF16 = 30,
};

constexpr int TYPES = 43;

/** Numbers in a block of Q4_0, Q5_0, Q8_0 and IQ4_NL. */
constexpr int BLOCK = 32;
/** Numbers in a block of a K-quantization and of Q8_K. */
constexpr int SUPER = 256;

/** Q8_0: a 16-bit scale, then 32 signed bytes. */
constexpr size_t Q8_0_BYTES = 34, Q8_0_VALUES = 2;
/** Q4_0 and IQ4_NL: a 16-bit scale, then 16 bytes: number i has the low half of byte i, number i + 16 the high half. */
constexpr size_t Q4_0_BYTES = 18, Q4_0_VALUES = 2;
/** Q5_0: a 16-bit scale, 32 bits (bit i is the fifth bit of number i), then the low four bits as in Q4_0. */
constexpr size_t Q5_0_BYTES = 22, Q5_0_HIGH = 2, Q5_0_VALUES = 6;
/**
 * Q4_K: two 16-bit scales (of the numbers and of the minima), 12 bytes with eight 6-bit scales and eight 6-bit minima,
 * then 128 bytes: the low halves of bytes 32j..32j+31 are the numbers of sub-block 2j, the high halves those of
 * sub-block 2j + 1.
 */
constexpr size_t Q4_K_BYTES = 144, Q4_K_VALUES = 16;
/** Q5_K: as Q4_K, with 32 bytes between: bit j of byte i is the fifth bit of number i of sub-block j. */
constexpr size_t Q5_K_BYTES = 176, Q5_K_HIGH = 16, Q5_K_VALUES = 48;
/**
 * Q6_K: 128 bytes of low halves, 64 bytes of upper bit pairs, 16 signed scales (one for 16 numbers), a 16-bit scale.
 * Each half of a block has 64 bytes of the low part and 32 bytes of the upper part; number 32q + i of the half has bits
 * 2q, 2q + 1 of byte i of the upper part, and of the low part byte 32(q & 1) + i: its low half for q < 2, its high half
 * for q >= 2.
 */
constexpr size_t Q6_K_BYTES = 210, Q6_K_HIGH = 128, Q6_K_SCALES = 192, Q6_K_D = 208;
/**
 * Q8_K, which activations alone have: a 32-bit scale, 256 signed bytes, then the sums of each 16 of them as 16-bit
 * numbers.
 */
constexpr size_t Q8_K_BYTES = 292, Q8_K_VALUES = 4, Q8_K_SUMS = 260;

/** The start of ggml's `ggml_compute_params`. */
struct ComputeParams {
  int thread;
  int threads;
  size_t work_size;
  void *work;
};

/** ggml's `ggml_tensor`, up to the last field that is read here. */
struct Tensor {
  int type;
  void *buffer;
  int64_t count[4];
  size_t stride[4];
  int op;
  int32_t op_params[16];
  int32_t flags;
  Tensor *source[10];
  Tensor *view_source;
  size_t view_offset;
  void *data;
};

}  // namespace paddock
