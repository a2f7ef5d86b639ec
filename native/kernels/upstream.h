#pragma once

namespace paddock {

/**
 * Returns a function of llama.cpp that this library stands in for; null if it can't be found.
 *
 * @param caller an address in the library that has the function, or in one that needs that library, such as the address
 *   that the caller's call returns to
 */
void *upstream(const char *name, const void *caller);

/** A function of llama.cpp, looked up at the first call. */
template <class F>
struct Upstream {
  const char *name;
  F *found = nullptr;

  F *find(const void *caller) {
    F *known = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (!known) {
      known = reinterpret_cast<F *>(upstream(name, caller));
      __atomic_store_n(&found, known, __ATOMIC_RELAXED);
    }
    return known;
  }
};

}  // namespace paddock
