#include "runtime/base/elf_symbols.h"

namespace heddle::rt {

namespace {

// The number of dynamic symbols is nowhere written down: DT_HASH has it as its chain count, DT_GNU_HASH only implies it.
uint32_t symbol_count(const uint32_t* hash, const uint32_t* gnu_hash) {
  if (hash != nullptr) return hash[1];
  if (gnu_hash == nullptr) return 0;
  const uint32_t buckets = gnu_hash[0];
  const uint32_t first = gnu_hash[1];
  const uint32_t bloom_words = gnu_hash[2];
  const uint32_t* bucket = gnu_hash + 4 + bloom_words * 2;
  const uint32_t* chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i) {
    if (bucket[i] > last) last = bucket[i];
  }
  if (last < first) return first;  // nothing defined: the undefined ones come before `first`
  while ((chain[last - first] & 1) == 0) ++last;
  return last + 1;
}

}  // namespace

DynamicSymbols dynamic_symbols(const dl_phdr_info& module) {
  DynamicSymbols all;
  const uint32_t* hash = nullptr;
  const uint32_t* gnu_hash = nullptr;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    if (module.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (const auto* d = reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + module.dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL; ++d) {
      // The loader has turned offsets into addresses, but not in every module (the vDSO keeps its offsets).
      const uintptr_t at = d->d_un.d_ptr < module.dlpi_addr ? module.dlpi_addr + d->d_un.d_ptr : d->d_un.d_ptr;
      if (d->d_tag == DT_SYMTAB) all.first = reinterpret_cast<const ElfW(Sym)*>(at);
      if (d->d_tag == DT_STRTAB) all.names = reinterpret_cast<const char*>(at);
      if (d->d_tag == DT_HASH) hash = reinterpret_cast<const uint32_t*>(at);
      if (d->d_tag == DT_GNU_HASH) gnu_hash = reinterpret_cast<const uint32_t*>(at);
    }
  }
  if (all.first != nullptr && all.names != nullptr) all.count = symbol_count(hash, gnu_hash);
  return all;
}

}  // namespace heddle::rt
