#include "symbols/functions.h"

#include "symbols/dwarf_units.h"
#include "symbols/symbols_elf.h"

namespace heddle::symbols {

namespace {

bool is_start_up(std::string_view name) {
  for (const char* known : {"_init", "_fini", "_start", "_dl_relocate_static_pie", "deregister_tm_clones", "register_tm_clones",
                            "__do_global_dtors_aux", "frame_dummy"}) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

struct ModuleFunctions::Debug {
  explicit Debug(const std::string& path) : elf(path) {
    if (open(elf.file())) return;
    elf.look_for_debug_file();
    open(elf.debug_file());
  }
  bool open(const ElfFile* file) {
    if (file != nullptr) dwarf.reset(dwarf_begin_elf(file->elf(), DWARF_C_READ, nullptr));
    if (dwarf != nullptr) units = std::make_unique<DwarfUnits>(dwarf.get(), elf);
    return units != nullptr && !units->all().empty();
  }

  ModuleElf elf;
  std::unique_ptr<Dwarf, DwarfCloser> dwarf;
  std::unique_ptr<DwarfUnits> units;
};

ModuleFunctions::ModuleFunctions(const std::string& path) : debug_(std::make_unique<Debug>(path)) {
  const ElfFile* file = debug_->elf.file();
  if (file == nullptr) return;
  for (const ElfSymbol& symbol : file->read_symbols().functions) {
    if (symbol.size > 0 && file->is_code(symbol.value) && !is_start_up(symbol.name)) starts_.push_back(symbol.value);
  }
}

ModuleFunctions::~ModuleFunctions() = default;
ModuleFunctions::ModuleFunctions(ModuleFunctions&&) noexcept = default;

std::optional<uint64_t> ModuleFunctions::unit(uint64_t offset) const {
  const DwarfUnit* unit = debug_->units != nullptr ? debug_->units->find(offset) : nullptr;
  return unit != nullptr ? std::optional<uint64_t>(unit - debug_->units->all().data()) : std::nullopt;
}

}  // namespace heddle::symbols
