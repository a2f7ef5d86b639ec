#include "upstream.h"

#include <dlfcn.h>

// The versions of glibc before 2.34, so that the library also loads there.
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlclose, dlclose@GLIBC_2.2.5");

namespace paddock {

void *upstream(const char *name, const void *caller) {
  Dl_info info;
  if (!dladdr(caller, &info) || !info.dli_fname) return nullptr;
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return nullptr;
  // In the library itself and those that it needs, so this is not the function here that has the same name.
  void *function = dlsym(library, name);
  dlclose(library);
  return function;
}

}  // namespace paddock
