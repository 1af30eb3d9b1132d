#include "symbols/copied_objects.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

namespace heddle::symbols {

namespace {

void look_at_relocations(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::vector<std::pair<uint64_t, uint64_t>>* copied) {
  Elf_Data* data = elf_getdata(section, nullptr);
  Elf_Scn* names = elf_getscn(elf, header.sh_link);
  Elf_Data* symbols = names != nullptr ? elf_getdata(names, nullptr) : nullptr;
  if (data == nullptr || symbols == nullptr || header.sh_entsize == 0) return;
  for (int i = 0; i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
    GElf_Rela entry;
    GElf_Sym symbol;
    if (gelf_getrela(data, i, &entry) == nullptr || GELF_R_TYPE(entry.r_info) != R_X86_64_COPY) continue;
    if (gelf_getsym(symbols, static_cast<int>(GELF_R_SYM(entry.r_info)), &symbol) == nullptr) continue;
    copied->emplace_back(entry.r_offset, entry.r_offset + symbol.st_size);
  }
}

}  // namespace

std::vector<std::pair<uint64_t, uint64_t>> copied_objects(const std::string& path) {
  std::vector<std::pair<uint64_t, uint64_t>> copied;
  elf_version(EV_CURRENT);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return copied;
  if (Elf* elf = elf_begin(file, ELF_C_READ, nullptr)) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_RELA) look_at_relocations(elf, section, header, &copied);
    }
    elf_end(elf);
  }
  ::close(file);
  return copied;
}

}  // namespace heddle::symbols
