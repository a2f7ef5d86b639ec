// Stands in for ggml's function that fills a buffer with one value. llama.cpp asks it to fill each new cache with zeros,
// which takes a write to every page: 4 GB of caches take a second, and the memory, before a token is in them.
//
// Here the system takes the pages back, and gives a page of zeros for each that is used again.

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "upstream.h"

using namespace paddock;

__asm__(".symver memset, memset@GLIBC_2.2.5");

namespace {

constexpr uintptr_t PAGE = 4096;
/** A smaller buffer is filled sooner than its pages are exchanged. */
constexpr size_t LEAST_BYTES = 1 << 20;

struct Buffer;
struct BufferType;

Upstream<void(Buffer *, uint8_t)> clear{"ggml_backend_buffer_clear"};
Upstream<BufferType *(Buffer *)> type_of{"ggml_backend_buffer_get_type"};
Upstream<BufferType *()> cpu_type{"ggml_backend_cpu_buffer_type"};
Upstream<void *(Buffer *)> base_of{"ggml_backend_buffer_get_base"};
Upstream<size_t(Buffer *)> size_of{"ggml_backend_buffer_get_size"};

/** Makes memory of the process's own read as zeros. Returns false if the system does not take its pages back. */
bool drop_pages(char *start, char *end) {
  char *first = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(start) + PAGE - 1) / PAGE * PAGE);
  char *last = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(end) / PAGE * PAGE);
  if (madvise(first, static_cast<size_t>(last - first), MADV_DONTNEED) != 0) return false;
  memset(start, 0, static_cast<size_t>(first - start));
  memset(last, 0, static_cast<size_t>(end - last));
  return true;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void ggml_backend_buffer_clear(Buffer *buffer, uint8_t value) {
  const void *caller = __builtin_return_address(0);
  auto *type = type_of.find(caller);
  auto *cpu = cpu_type.find(caller);
  auto *base = base_of.find(caller);
  auto *size = size_of.find(caller);
  // Other types of memory are a GPU's, or fixed in their place for one.
  if (value == 0 && type && cpu && base && size && type(buffer) == cpu() && size(buffer) >= LEAST_BYTES) {
    char *start = static_cast<char *>(base(buffer));
    if (drop_pages(start, start + size(buffer))) return;
  }
  if (auto *stock = clear.find(caller)) stock(buffer, value);
}
