#include "symbols/instrumentation.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

namespace heddle::symbols {

namespace {

// `shown`: the loader knows of a sanitizer's functions.
void look_at_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ProgramBuild* build, bool* shown) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (int i = 0; i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr) continue;
    const bool begins = std::strcmp(name, "__tsan_init") == 0 || std::strcmp(name, "__lsan_init") == 0;
    // The table that the loader reads comes first in a file.
    if (begins && symbol.st_shndx != SHN_UNDEF) {
      if (header.sh_type == SHT_DYNSYM) *shown = true;
      build->hides_sanitizer = !*shown;
    }
    if (std::strncmp(name, "__tsan_", 7) != 0) continue;
    if (symbol.st_shndx == SHN_UNDEF) {
      if (build->instrumentation == Instrumentation::kNone) build->instrumentation = Instrumentation::kPresent;
    } else if (std::strcmp(name, "__tsan_init") == 0) {
      build->instrumentation = Instrumentation::kStaticDetector;
    }
  }
}

// What one file says about where its libraries are.
struct Libraries {
  std::vector<std::string> needed;
  std::vector<std::string> places;
};

void add_places(std::string_view list, const std::string& origin, std::vector<std::string>* places) {
  while (!list.empty()) {
    const size_t end = list.find(':');
    std::string place(list.substr(0, end));
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
      const size_t at = place.find(word);
      if (at != std::string::npos) place.replace(at, word.size(), origin);
    }
    if (!place.empty()) places->push_back(place);
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
}

void look_at_needed(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const std::string& origin, ProgramBuild* build,
                    Libraries* libraries) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (int i = 0; i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr) continue;
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
    const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (name == nullptr) continue;
    const std::string_view library = name;
    if (entry.d_tag != DT_NEEDED) {
      add_places(library, origin, &libraries->places);
      continue;
    }
    if (library.starts_with("libgomp.so")) build->wants_libgomp = true;
    if (library.starts_with("libtsan.so")) build->wants_libtsan = true;
    if (library.starts_with("libasan.so") || library.starts_with("libclang_rt.asan")) build->wants_libasan = true;
    // The accesses may all be in libraries of the program.
    if (library.starts_with("libheddle-stub") && build->instrumentation == Instrumentation::kNone)
      build->instrumentation = Instrumentation::kPresent;
    if (!library.starts_with("libheddle") && !library.starts_with("libtsan")) libraries->needed.emplace_back(library);
  }
}

Libraries look_into(const std::string& path, ProgramBuild* build) {
  Libraries libraries;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return libraries;
  const std::string origin = std::filesystem::path(path).parent_path().string();
  bool shown = false;
  if (Elf* elf = elf_begin(file, ELF_C_READ, nullptr)) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) look_at_symbols(elf, section, header, build, &shown);
      if (header.sh_type == SHT_DYNAMIC) look_at_needed(elf, section, header, origin, build, &libraries);
    }
    elf_end(elf);
  }
  ::close(file);
  return libraries;
}

// Libraries of the program's own, where it or the environment says they are: those of the system are not built for us.
void look_into_libraries(Libraries todo, ProgramBuild* build) {
  if (const char* places = std::getenv("LD_LIBRARY_PATH")) add_places(places, ".", &todo.places);
  for (size_t i = 0; i < todo.needed.size() && build->instrumentation == Instrumentation::kNone; ++i) {
    for (size_t k = 0; k < todo.places.size(); ++k) {
      const std::string path = todo.places[k] + "/" + todo.needed[i];
      std::error_code none;
      if (!std::filesystem::exists(path, none)) continue;
      const Libraries more = look_into(path, build);
      for (const std::string& name : more.needed) {
        if (std::find(todo.needed.begin(), todo.needed.end(), name) == todo.needed.end()) todo.needed.push_back(name);
      }
      todo.places.insert(todo.places.end(), more.places.begin(), more.places.end());
      break;
    }
  }
}

}  // namespace

ProgramBuild build_of(const std::string& program) {
  ProgramBuild build;
  elf_version(EV_CURRENT);
  const Libraries libraries = look_into(program, &build);
  if (build.instrumentation == Instrumentation::kNone) look_into_libraries(libraries, &build);
  return build;
}

}  // namespace heddle::symbols
