// Multiplies matrices of random bytes and computes attention with each set of kernels that this processor can run, and
// prints a sum of the bits of the results, so that two builds or two processors can be compared. All matrices end where
// their memory ends, for the address sanitizer.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "../../../native/kernels/formats.h"

extern "C" {
bool llamafile_sgemm(const void *, int64_t, int64_t, int64_t, const void *, int64_t, const void *, int64_t, void *,
                     int64_t, int, int, int);
void ggml_compute_forward_flash_attn_ext(const paddock::ComputeParams *, paddock::Tensor *);
bool paddock_kernels_select(const char *);
const char *paddock_kernels_describe();
}

struct Format {
  const char *name;
  int weights, activations;
  size_t weight_bytes, activation_bytes;
  /** Blocks of weights in a block of activations, and the fewest that a row may have. */
  int least;
  /** Where a block of weights and one of activations have their 16-bit scales; -1 ends the list. */
  int weight_scales[3];
};

const Format FORMATS[] = {
    {"Q8_0", 8, 8, 34, 34, 1, {0, -1}},       {"Q5_0", 6, 8, 22, 34, 1, {0, -1}},
    {"Q4_0", 2, 8, 18, 34, 1, {0, -1}},       {"Q4_K", 12, 15, 144, 292, 1, {0, 2, -1}},
    {"Q5_K", 13, 15, 176, 292, 1, {0, 2, -1}}, {"Q6_K", 14, 15, 210, 292, 1, {208, -1}},
    {"F16", 1, 0, 2, 4, 8, {0, -1}},          {"F16 by F16", 1, 1, 2, 2, 8, {0, -1}},
    {"BF16", 30, 0, 2, 4, 8, {-1}},           {"BF16 by BF16", 30, 30, 2, 2, 8, {-1}},
};

static uint32_t state;

static uint32_t random_bits() {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static uint8_t *random_bytes(size_t count) {
  auto *bytes = static_cast<uint8_t *>(malloc(count));
  for (size_t i = 0; i < count; i++) bytes[i] = random_bits() >> 11;
  return bytes;
}

/** A half float between about 0.001 and 0.03. */
static void write_half(uint8_t *at) {
  const uint16_t bits = 0x1400 + random_bits() % 0x1400;
  memcpy(at, &bits, 2);
}

static uint8_t *weights_of(const Format &f, size_t blocks) {
  uint8_t *bytes = random_bytes(blocks * f.weight_bytes);
  for (size_t b = 0; b < blocks; b++) {
    for (const int *at = f.weight_scales; *at >= 0; at++) write_half(bytes + b * f.weight_bytes + *at);
    if (f.weights == 30) bytes[2 * b + 1] = 0x3c;
  }
  return bytes;
}

static uint8_t *activations_of(const Format &f, size_t blocks) {
  uint8_t *bytes = random_bytes(blocks * f.activation_bytes);
  for (size_t b = 0; b < blocks; b++) {
    uint8_t *block = bytes + b * f.activation_bytes;
    const float one = 1 + (random_bits() % 64) / 64.0f;
    if (f.activations == 8 || f.activations == 1) write_half(block);
    if (f.activations == 0 || f.activations == 15) memcpy(block, &one, 4);
    if (f.activations == 30) block[1] = 0x3f;
    if (f.activations == 8 || f.activations == 15) {
      const int start = f.activations == 8 ? 2 : 4, count = f.activations == 8 ? 32 : 256;
      for (int i = 0; i < count; i++) {
        if (block[start + i] == 0x80) block[start + i] = 0;
      }
    }
    for (int group = 0; f.activations == 15 && group < 16; group++) {
      int16_t sum = 0;
      for (int i = 0; i < 16; i++) sum += static_cast<int8_t>(block[4 + 16 * group + i]);
      memcpy(block + 260 + 2 * group, &sum, 2);
    }
  }
  return bytes;
}

static uint64_t add_bits(uint64_t hash, const float *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, &numbers[i], 4);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

struct AttentionShape {
  int key_depth, value_depth, tokens, heads, key_heads, streams, keys;
  bool sinks;
};

/** A tensor whose numbers lie in the order of `counts`; `order` says which count each dimension has. */
static paddock::Tensor tensor_of(int type, size_t bytes, const int64_t (&counts)[4], const int (&order)[4], void *data) {
  paddock::Tensor t{};
  t.type = type;
  t.data = data;
  size_t stride = bytes;
  for (int i = 0; i < 4; i++) {
    t.count[order[i]] = counts[i];
    t.stride[order[i]] = stride;
    stride *= counts[i];
  }
  return t;
}

/** The mask of a sequence: each token sees the keys up to a place of its own, some keys less, or none at all. */
static void write_mask(uint16_t *mask, int tokens, int keys) {
  for (int t = 0; t < tokens; t++) {
    const int end = t % 5 == 4 ? 0 : 1 + random_bits() % keys;
    for (int k = 0; k < keys; k++) mask[t * keys + k] = k < end && (t % 2 == 0 || random_bits() % 8) ? 0 : 0xfc00;
  }
}

static uint64_t attend(const AttentionShape &s, uint64_t hash) {
  const size_t cached = static_cast<size_t>(s.keys) * s.key_heads * s.streams, rows = s.tokens * s.heads * s.streams;
  auto *queries = static_cast<float *>(malloc(sizeof(float) * rows * s.key_depth));
  for (size_t i = 0; i < rows * s.key_depth; i++) queries[i] = random_bits() % 2048 / 512.0f - 2;
  const auto halves = [](size_t count) {
    uint8_t *bytes = random_bytes(2 * count);
    // Between -2 and 2.
    for (size_t i = 0; i < count; i++) bytes[2 * i + 1] &= 0xbf;
    return bytes;
  };
  uint8_t *keys = halves(cached * s.key_depth), *values = halves(cached * s.value_depth);
  const size_t masked = static_cast<size_t>(s.tokens) * s.keys;
  auto *mask = static_cast<uint16_t *>(malloc(2 * masked * s.streams));
  for (int i = 0; i < s.streams; i++) write_mask(mask + i * masked, s.tokens, s.keys);
  auto *sinks = static_cast<float *>(malloc(sizeof(float) * s.heads));
  for (int i = 0; i < s.heads; i++) sinks[i] = random_bits() % 16 - 8.0f;
  auto *results = static_cast<float *>(malloc(sizeof(float) * rows * s.value_depth));

  // Of a token, all heads lie behind each other.
  const int by_token[4] = {0, 2, 1, 3}, plain[4] = {0, 1, 2, 3};
  paddock::Tensor sources[5] = {
      tensor_of(0, 4, {s.key_depth, s.heads, s.tokens, s.streams}, by_token, queries),
      tensor_of(1, 2, {s.key_depth, s.key_heads, s.keys, s.streams}, by_token, keys),
      tensor_of(1, 2, {s.value_depth, s.key_heads, s.keys, s.streams}, by_token, values),
      tensor_of(1, 2, {s.keys, s.tokens, 1, s.streams}, plain, mask),
      tensor_of(0, 4, {s.heads, 1, 1, 1}, plain, sinks),
  };
  paddock::Tensor out = tensor_of(0, 4, {s.value_depth, s.heads, s.tokens, s.streams}, plain, results);
  for (int i = 0; i < 5; i++) out.source[i] = i == 4 && !s.sinks ? nullptr : &sources[i];
  const float scale = 0.11f;
  memcpy(out.op_params, &scale, 4);
  for (int thread = 0; thread < 3; thread++) {
    const paddock::ComputeParams params{thread, 3, 0, nullptr};
    ggml_compute_forward_flash_attn_ext(&params, &out);
  }
  hash = add_bits(hash, results, rows * s.value_depth);
  free(queries), free(keys), free(values), free(mask), free(sinks), free(results);
  return hash;
}

static void print_attention() {
  const AttentionShape shapes[] = {{64, 64, 1, 14, 2, 3, 256, false},  {128, 128, 23, 8, 8, 1, 192, false},
                                   {96, 32, 5, 6, 1, 2, 64, true},     {256, 256, 2, 4, 2, 1, 128, true},
                                   {64, 64, 70, 7, 1, 1, 320, false}, {128, 64, 1, 16, 8, 2, 192, false},
                                   {96, 96, 1, 3, 1, 1, 128, true},   {32, 64, 1, 10, 2, 1, 64, false},
                                   {64, 128, 1, 6, 1, 1, 128, false}, {128, 128, 2, 4, 1, 1, 192, true}};
  uint64_t hash = 14695981039346656037u;
  state = 2463534242u;
  for (const AttentionShape &shape : shapes) hash = attend(shape, hash);
  printf("%s attention %016llx\n", paddock_kernels_describe(), static_cast<unsigned long long>(hash));
}

int main() {
  const int shapes[][3] = {{1, 16, 1}, {17, 19, 2}, {33, 22, 5}, {48, 29, 9}, {5, 61, 35}, {70, 250, 3}, {21, 1, 7}};
  for (const char *name : {"avx512-vnni", "avx-vnni", "avx2"}) {
    if (!paddock_kernels_select(name)) continue;
    for (const Format &f : FORMATS) {
      uint64_t hash = 14695981039346656037u;
      state = 2463534242u;
      for (const auto &shape : shapes) {
        const int rows = shape[0], columns = shape[1], blocks = shape[2] * f.least;
        // Q4_K alone has a kernel for one column.
        if (columns == 1 && f.weights != 12) continue;
        uint8_t *weights = weights_of(f, static_cast<size_t>(rows) * blocks);
        uint8_t *activations = activations_of(f, static_cast<size_t>(columns) * blocks);
        auto *results = static_cast<float *>(malloc(sizeof(float) * rows * columns));
        for (int thread = 0; thread < 3; thread++) {
          const int64_t params[8] = {thread | (3ll << 32)};
          if (!llamafile_sgemm(params, rows, columns, blocks, weights, blocks, activations, blocks, results, rows,
                               f.weights, f.activations, 0)) {
            printf("%s was not taken\n", f.name);
            return 1;
          }
        }
        hash = add_bits(hash, results, static_cast<size_t>(rows) * columns);
        free(weights);
        free(activations);
        free(results);
      }
      printf("%s %s %016llx\n", paddock_kernels_describe(), f.name, static_cast<unsigned long long>(hash));
    }
    print_attention();
  }
  return 0;
}
