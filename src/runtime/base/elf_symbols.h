#pragma once
// The dynamic symbols of a module that is loaded.
#include <link.h>
#include <stdint.h>

namespace heddle::rt {

struct DynamicSymbols {
  const ElfW(Sym) * first = nullptr;
  const char* names = nullptr;
  uint32_t count = 0;
};
DynamicSymbols dynamic_symbols(const dl_phdr_info& module);

// each(symbol, name)
template <typename Each>
void for_each_symbol(const dl_phdr_info& module, Each each) {
  const DynamicSymbols all = dynamic_symbols(module);
  for (uint32_t i = 1; i < all.count; ++i) each(all.first[i], all.names + all.first[i].st_name);
}

}  // namespace heddle::rt
