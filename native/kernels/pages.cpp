// Moves the weights of a mapped file into huge pages. The processor then finds the place of a weight in memory with a
// table of one entry for 2 MB in place of 4 kB, and reads two threads' weights a quarter faster. A file system
// seldom offers its files in such pages.
//
// A thread of the lowest priority copies a piece into new memory and has the system put that memory in place of the
// piece of the file, at the same address. Both have the same content, so forward passes go on meanwhile. A thread that
// touches the piece while the system exchanges it waits until that is done.

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

// The oldest version of each function, so that the library still opens on systems with an old glibc.
__asm__(".symver memcpy, memcpy@GLIBC_2.2.5");
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_join, pthread_join@GLIBC_2.2.5");

namespace {

constexpr uint64_t HUGE = 2 << 20;
/** What is copied at once. `end` waits for it: some 10 ms. */
constexpr uint64_t PIECE = 32 << 20;
/** The weights of a model are in one file, or in parts. */
constexpr int32_t MOST_FILES = 128;

struct Range {
  uint64_t start;
  uint64_t bytes;
};

struct Move {
  pthread_t thread;
  int32_t count;
  Range ranges[MOST_FILES];
  uint64_t moved;
  bool ending;
};

uint64_t up(uint64_t address) { return (address + HUGE - 1) / HUGE * HUGE; }

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

/** Exchanges a piece, whose address and length are multiples of HUGE. Returns false, and changes nothing, without memory. */
bool exchange(uint64_t start, uint64_t bytes) {
  const uint64_t room = bytes + HUGE;
  void *fresh = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED) return false;
  const uint64_t from = reinterpret_cast<uint64_t>(fresh), at = up(from);
  bool done = false;
  if (madvise(pointer(at), bytes, MADV_HUGEPAGE) == 0) {
    memcpy(pointer(at), pointer(start), bytes);
    done = mprotect(pointer(at), bytes, PROT_READ) == 0 &&
           mremap(pointer(at), bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(start)) != MAP_FAILED;
  }
  if (!done) return munmap(fresh, room), false;
  // What is left before and behind it.
  if (at > from) munmap(fresh, at - from);
  if (from + room > at + bytes) munmap(pointer(at + bytes), from + room - at - bytes);
  return true;
}

void *run(void *shared) {
  Move &move = *static_cast<Move *>(shared);
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 19);
  for (int32_t i = 0; i < move.count; i++) {
    const Range &range = move.ranges[i];
    const uint64_t end = (range.start + range.bytes) / HUGE * HUGE;
    for (uint64_t at = up(range.start); at < end; at += PIECE) {
      if (__atomic_load_n(&move.ending, __ATOMIC_ACQUIRE)) return nullptr;
      const uint64_t bytes = end - at < PIECE ? end - at : PIECE;
      if (!exchange(at, bytes)) return nullptr;
      __atomic_fetch_add(&move.moved, bytes, __ATOMIC_RELEASE);
    }
  }
  return nullptr;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

/**
 * Begins to move the content of mapped files, which nobody writes, into huge pages. `ranges` has the address and the
 * number of bytes of each. The files have to stay mapped until `paddock_pages_end`. Returns null if it cannot begin.
 */
EXPORT void *paddock_pages_move(const uint64_t *ranges, int32_t count) {
  if (count < 0 || count > MOST_FILES) return nullptr;
  Move *move = static_cast<Move *>(calloc(1, sizeof(Move)));
  if (!move) return nullptr;
  move->count = count;
  memcpy(move->ranges, ranges, sizeof(Range) * static_cast<size_t>(count));
  if (pthread_create(&move->thread, nullptr, run, move) == 0) return move;
  free(move);
  return nullptr;
}

/** Returns the number of bytes that have been moved. */
EXPORT uint64_t paddock_pages_moved(const void *move) {
  return __atomic_load_n(&static_cast<const Move *>(move)->moved, __ATOMIC_ACQUIRE);
}

/** Ends the move, done or not. What is moved stays where it is. */
EXPORT void paddock_pages_end(void *ended) {
  Move *move = static_cast<Move *>(ended);
  __atomic_store_n(&move->ending, true, __ATOMIC_RELEASE);
  pthread_join(move->thread, nullptr);
  free(move);
}
