#include "trace/instrumentation.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace heddle {

namespace {

void look_at_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ProgramBuild* build) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (int i = 0; i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr || std::strncmp(name, "__tsan_", 7) != 0) continue;
    if (symbol.st_shndx == SHN_UNDEF) {
      if (build->instrumentation == Instrumentation::kNone) build->instrumentation = Instrumentation::kPresent;
    } else if (std::strcmp(name, "__tsan_init") == 0) {
      build->instrumentation = Instrumentation::kStaticDetector;
    }
  }
}

void look_at_needed(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ProgramBuild* build) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (int i = 0; i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag != DT_NEEDED) continue;
    const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (name == nullptr) continue;
    const std::string_view library = name;
    if (library.starts_with("libgomp.so")) build->wants_libgomp = true;
    if (library.starts_with("libtsan.so")) build->wants_libtsan = true;
    // The accesses may all be in libraries of the program.
    if (library.starts_with("libheddle-stub") && build->instrumentation == Instrumentation::kNone)
      build->instrumentation = Instrumentation::kPresent;
  }
}

}  // namespace

ProgramBuild build_of(const std::string& program) {
  ProgramBuild build;
  elf_version(EV_CURRENT);
  const int file = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return build;
  if (Elf* elf = elf_begin(file, ELF_C_READ, nullptr)) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) look_at_symbols(elf, section, header, &build);
      if (header.sh_type == SHT_DYNAMIC) look_at_needed(elf, section, header, &build);
    }
    elf_end(elf);
  }
  ::close(file);
  return build;
}

}  // namespace heddle
