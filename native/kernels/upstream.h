#pragma once

namespace paddock {

/**
 * Returns a function of ggml's CPU library that this library stands in for; null if it can't be found.
 *
 * @param caller an address in ggml's CPU library, such as the address that the caller's call returns to
 */
void *upstream(const char *name, const void *caller);

}  // namespace paddock
