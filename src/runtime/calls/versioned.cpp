// dlvsym: the sanitizers' runtimes ask for the next function of a name and a version (pthread_cond_wait, GLIBC_2.3.2). Ours have no version, so the
// answer would be the C library's own, and the wait would be no operation of the run.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "runtime/base/real.h"

// Of this library; set by the linker.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];

namespace {

constexpr const char* kFirstVersion = "GLIBC_2.2.5";  // of a function with a later version, another one of that name

const void* table(ElfW(Sxword) tag) {
  for (const ElfW(Dyn)* d = _DYNAMIC; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == tag) return reinterpret_cast<const void*>(d->d_un.d_ptr);
  }
  return nullptr;
}

// How many symbols a GNU hash table covers: one behind the end of its last chain.
uint32_t symbol_count(const uint32_t* hash) {
  const uint32_t buckets = hash[0], first = hash[1], words = hash[2];
  const uint32_t* bucket = hash + 4 + words * 2;
  const uint32_t* chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i) last = bucket[i] > last ? bucket[i] : last;
  if (last < first) return 0;
  while ((chain[last - first] & 1) == 0) ++last;
  return last + 1;
}

// The function of that name that this library exports.
void* own_function(const char* name) {
  const auto* symbols = static_cast<const ElfW(Sym)*>(table(DT_SYMTAB));
  const auto* names = static_cast<const char*>(table(DT_STRTAB));
  const auto* hash = static_cast<const uint32_t*>(table(DT_GNU_HASH));
  if (symbols == nullptr || names == nullptr || hash == nullptr) return nullptr;
  for (uint32_t i = 0, end = symbol_count(hash); i < end; ++i) {
    const ElfW(Sym)& s = symbols[i];
    if (s.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s.st_info) != STT_FUNC || strcmp(names + s.st_name, name) != 0) continue;
    return const_cast<char*>(__ehdr_start) + s.st_value;
  }
  return nullptr;
}

}  // namespace

HEDDLE_EXPORT void* dlvsym(void* handle, const char* name, const char* version) noexcept {
  static void* (*library)(void*, const char*, const char*);
  if (library == nullptr) library = reinterpret_cast<void* (*)(void*, const char*, const char*)>(dlsym(RTLD_NEXT, "dlvsym"));
  if (handle == RTLD_NEXT && strncmp(version, "GLIBC_", 6) == 0 && strcmp(version, kFirstVersion) != 0) {
    if (void* own = own_function(name)) return own;
  }
  // In last place, so that the C library sees who asked for the next one.
  return library(handle, name, version);
}
