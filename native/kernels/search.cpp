// Waits for the end of a forward pass (on a GPU, llama.cpp returns before it has computed), and finds the highest logits
// of all replies, with several threads where there are many replies.

#include <pthread.h>

#include "choice.h"

// The oldest version of each function, so that the library still opens on systems with a glibc before 2.34.
__asm__(".symver pthread_attr_setstacksize, pthread_attr_setstacksize@GLIBC_2.2.5");
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_join, pthread_join@GLIBC_2.2.5");

namespace paddock {
namespace {

/** The functions of llama.cpp that are called. */
struct Llama {
  void (*synchronize)(void *context);
  const float *(*logits_at)(void *context, int32_t place);
};

/** The highest logits that are looked for: so many at a place of the batch. */
struct Wanted {
  int32_t place;
  int32_t most;
};

/** A thread takes 20 microseconds to begin, and finds the highest logits at a place in 50 to 100. */
constexpr int32_t PLACES_OF_A_THREAD = 4;
constexpr int32_t MOST_THREADS = 16;
constexpr size_t STACK_BYTES = 256 * 1024;
constexpr int32_t MOST_PLACES = 512;

/** What the threads of one search share. Each place has as much room for results as it wants. */
struct Search {
  const KernelSet *set;
  int32_t vocabulary;
  int32_t places;
  const Wanted *wanted;
  int32_t *counts;
  int32_t *tokens;
  float *logits;
  /** The logits of each place, and where its results begin. */
  const float *from[MOST_PLACES];
  int64_t to[MOST_PLACES];
  /** The next place that no thread has taken. */
  int32_t next;
};

void *search(void *shared) {
  Search &all = *static_cast<Search *>(shared);
  for (;;) {
    const int32_t at = __atomic_fetch_add(&all.next, 1, __ATOMIC_RELAXED);
    if (at >= all.places) return nullptr;
    if (all.from[at] == nullptr) continue;
    const int64_t to = all.to[at];
    all.counts[at] =
        all.set->highest(all.from[at], all.vocabulary, all.wanted[at].most, all.tokens + to, all.logits + to);
  }
}

/** Searches with up to `most` threads, the caller's own included. Fewer search if the system gives no more. */
void search_together(Search &all, int32_t most) {
  pthread_t threads[MOST_THREADS];
  const int32_t wanted = all.places / PLACES_OF_A_THREAD;
  int32_t more = (wanted < most ? wanted : most) - 1;
  if (more > MOST_THREADS) more = MOST_THREADS;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  int32_t begun = 0;
  while (begun < more && pthread_create(&threads[begun], &attributes, search, &all) == 0) begun++;
  pthread_attr_destroy(&attributes);
  search(&all);
  for (int32_t thread = 0; thread < begun; thread++) pthread_join(threads[thread], nullptr);
}

}  // namespace
}  // namespace paddock

/**
 * Waits for the end of a context's latest pass, and finds the highest logits at `places` places, up to 512, with up to
 * `threads` threads. The results of the places follow one another in `tokens` and `logits`, each with the room that it
 * wants; `counts` has their numbers, which are -1 where there are no logits or where the kernels are off.
 */
extern "C" __attribute__((visibility("default"))) void paddock_kernels_search(
    const paddock::Llama *llama, void *context, int32_t vocabulary, int32_t places, const paddock::Wanted *wanted,
    int32_t *counts, int32_t *tokens, float *logits, int32_t threads) {
  llama->synchronize(context);
  if (places > paddock::MOST_PLACES) places = paddock::MOST_PLACES;
  paddock::Search all{paddock::chosen_kernels(), vocabulary, places, wanted, counts, tokens, logits, {}, {}, 0};
  int64_t to = 0;
  for (int32_t at = 0; at < places; at++) {
    counts[at] = -1;
    all.from[at] = llama->logits_at(context, wanted[at].place);
    all.to[at] = to;
    to += wanted[at].most;
  }
  if (all.set != nullptr && places > 0) paddock::search_together(all, threads);
}
