#include "runtime/base/instrumented.h"

#include <string.h>

#include "runtime/base/elf_symbols.h"

namespace heddle::rt {

bool imports_hooks(const dl_phdr_info& module) {
  bool any = false;
  for_each_symbol(module, [&](const ElfW(Sym) & symbol, const char* name) {
    any = any || (symbol.st_shndx == SHN_UNDEF && strncmp(name, "__tsan_", 7) == 0 && strcmp(name, "__tsan_init") != 0);
  });
  return any;
}

}  // namespace heddle::rt
