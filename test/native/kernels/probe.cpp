// Multiplies matrices of random bytes with each set of kernels that this processor can run, and prints a sum of the
// bits of the results, so that two builds or two processors can be compared. All matrices end where their memory ends,
// for the address sanitizer.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

extern "C" {
bool llamafile_sgemm(const void *, int64_t, int64_t, int64_t, const void *, int64_t, const void *, int64_t, void *,
                     int64_t, int, int, int);
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
        for (int i = 0; i < rows * columns; i++) {
          uint32_t bits;
          memcpy(&bits, &results[i], 4);
          hash = (hash ^ bits) * 1099511628211u;
        }
        free(weights);
        free(activations);
        free(results);
      }
      printf("%s %s %016llx\n", paddock_kernels_describe(), f.name, static_cast<unsigned long long>(hash));
    }
  }
  return 0;
}
