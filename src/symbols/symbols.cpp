#include "symbols/symbols.h"

#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "symbols/dwarf_units.h"
#include "symbols/dwarf_variables.h"
#include "symbols/symbols_elf.h"
#include "symbols/symbols_names.h"
#include "wire/system_path.h"

namespace heddle::symbols {
namespace {

std::vector<std::string> source_directories(const std::vector<std::string>& modules) {
  std::vector<std::string> directories{"."};
  for (const std::string& module : modules) {
    if (is_system_library_path(module)) continue;
    std::string directory = std::filesystem::path(module).parent_path().string();
    if (directory.empty()) continue;
    if (std::find(directories.begin(), directories.end(), directory) == directories.end()) {
      directories.push_back(directory);
    }
  }
  return directories;
}

}  // namespace

// What is known of one module. Members stand in the order of their need: the later ones point into the earlier.
class ModuleSymbols {
 public:
  explicit ModuleSymbols(const std::string& path) : elf_(path) {
    if (open_dwarf(elf_.file())) return;
    elf_.look_for_debug_file();
    open_dwarf(elf_.debug_file());
  }

  std::vector<Frame> frames(uint64_t offset) {
    std::vector<Frame> frames;
    if (!elf_.is_code(offset)) return frames;
    if (DwarfUnit* unit = units_ != nullptr ? units_->find(offset) : nullptr) frames = debug_frames(*unit, offset);
    if (frames.empty() || frames.back().function.empty()) {
      std::optional<ElfSymbol> symbol = elf_.function(offset);
      if (symbol.has_value() && frames.empty()) frames.emplace_back();
      if (symbol.has_value()) frames.back().function = demangle(std::string(symbol->name));
    }
    return frames;
  }

  std::optional<ElfSymbol> function_symbol(uint64_t offset) { return elf_.function(offset); }

  std::optional<Variable> global_at(uint64_t offset) {
    if (!elf_.is_loaded(offset)) return std::nullopt;
    if (units_ != nullptr) {
      if (auto variable = variables().find(offset)) return variable;
    }
    std::optional<ElfSymbol> symbol = elf_.object(offset);
    if (!symbol.has_value()) return std::nullopt;
    Variable variable;
    variable.name = shorten_std(demangle(std::string(symbol->name)));
    if (offset != symbol->value) variable.name += fmt::format("+0x{:x}", offset - symbol->value);
    if (offset == symbol->value) variable.size = symbol->size;
    return variable;
  }

  std::optional<Symbols::NamedPlace> global_named(const std::string& name) {
    return units_ != nullptr ? variables().named(name) : std::nullopt;
  }

  std::optional<Variable> member_at(const std::string& type, uint64_t offset) {
    if (units_ == nullptr) return std::nullopt;
    return variables().member(type, offset);
  }

  std::optional<Variable> local_at(uint64_t function, uint64_t distance) {
    DwarfUnit* unit = units_ != nullptr ? units_->find(function) : nullptr;
    return unit != nullptr ? variables().local(*unit, function, distance) : std::nullopt;
  }

  std::optional<Variable> local_in_scope(uint64_t place, uint64_t distance) {
    DwarfUnit* unit = units_ != nullptr ? units_->find(place) : nullptr;
    return unit != nullptr ? variables().local_in_scope(*unit, place, distance) : std::nullopt;
  }

  std::optional<Variable> behind_pointer(uint64_t place, const std::string& pointer, uint64_t offset) {
    DwarfUnit* unit = units_ != nullptr ? units_->find(place) : nullptr;
    return unit != nullptr ? variables().behind(*unit, place, pointer, offset) : std::nullopt;
  }

  std::string build_id() const { return elf_.file() != nullptr ? elf_.file()->build_id() : std::string(); }
  bool has_debug_info() const { return units_ != nullptr; }

 private:
  bool open_dwarf(const ElfFile* file) {
    if (file == nullptr) return false;
    std::unique_ptr<Dwarf, DwarfCloser> dwarf(dwarf_begin_elf(file->elf(), DWARF_C_READ, nullptr));
    if (dwarf == nullptr) return false;
    auto units = std::make_unique<DwarfUnits>(dwarf.get(), elf_);
    if (units->all().empty()) return false;
    dwarf_ = std::move(dwarf);
    units_ = std::move(units);
    return true;
  }

  std::vector<Frame> debug_frames(DwarfUnit& unit, uint64_t offset) {
    const LineIndex& lines = unit.lines();
    ScopeIndex& scopes = unit.scopes(elf_);
    SourcePosition position = lines.find(offset);
    if (position.file != nullptr && position.line == 0) {
      uint32_t scope = scopes.innermost(offset);
      SourcePosition near = lines.find_near(offset, [&](uint64_t at) { return scopes.innermost(at) == scope; });
      if (near.file != nullptr) position = near;
    }
    std::vector<Frame> frames;
    Frame frame;
    if (position.file != nullptr) frame = {{}, *position.file, position.line, position.column, false};
    for (const ScopeFrame* scope : scopes.find(offset)) {
      frame.function = scope->function;
      frame.inlined = scope->inlined;
      frames.push_back(std::move(frame));
      frame = {{}, scope->call_file, scope->call_line, scope->call_column, false};
    }
    // Code with a position but without a function, as in assembly.
    if (frames.empty() && !frame.file.empty()) frames.push_back(std::move(frame));
    return frames;
  }

  const VariableIndex& variables() {
    if (variables_ == nullptr) variables_ = std::make_unique<VariableIndex>(units_->all(), elf_);
    return *variables_;
  }

  ModuleElf elf_;
  std::unique_ptr<Dwarf, DwarfCloser> dwarf_;
  std::unique_ptr<DwarfUnits> units_;  // null without debug information
  std::unique_ptr<VariableIndex> variables_;
};

Symbols::Symbols(std::vector<std::string> module_paths)
    : paths_(std::move(module_paths)), modules_(paths_.size()), sources_(source_directories(paths_)) {}

Symbols::~Symbols() = default;

ModuleSymbols* Symbols::module_at(unsigned module) const {
  if (module >= paths_.size()) return nullptr;
  std::unique_ptr<ModuleSymbols>& entry = modules_[module];
  if (entry == nullptr) entry = std::make_unique<ModuleSymbols>(paths_[module]);
  return entry.get();
}

std::vector<Frame> Symbols::frames_locked(unsigned module, uint64_t offset) const {
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr ? symbols->frames(offset) : std::vector<Frame>();
}

std::vector<Frame> Symbols::frames(unsigned module, uint64_t offset) const {
  std::lock_guard lock(mutex_);
  return frames_locked(module, offset);
}

std::optional<Frame> Symbols::user_frame(unsigned module, uint64_t offset) const {
  std::vector<Frame> all = frames(module, offset);
  if (all.empty()) return std::nullopt;
  auto own = std::find_if(all.begin(), all.end(), [](const Frame& frame) { return !frame.file.empty() && !is_system_source(frame.file); });
  return own != all.end() ? *own : all.front();
}

std::string Symbols::describe(unsigned module, uint64_t offset) const {
  std::optional<Frame> frame = user_frame(module, offset);
  if (frame.has_value() && !frame->file.empty()) {
    return frame->line > 0 ? fmt::format("{}:{}", base_name(frame->file), frame->line) : base_name(frame->file);
  }
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  if (symbols == nullptr) return fmt::format("module{}+0x{:x}", module, offset);
  if (frame.has_value()) {
    if (auto symbol = symbols->function_symbol(offset)) {
      return fmt::format("{}+0x{:x}", pretty_function(frame->function), offset - symbol->value);
    }
  }
  return fmt::format("{}+0x{:x}", base_name(paths_[module]), offset);
}

std::optional<Variable> Symbols::global_at(unsigned module, uint64_t offset) const {
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr ? symbols->global_at(offset) : std::nullopt;
}

std::optional<Symbols::NamedPlace> Symbols::global_named(unsigned module, const std::string& name) const {
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr ? symbols->global_named(name) : std::nullopt;
}

std::optional<Variable> Symbols::member_at(unsigned module, const std::string& type, uint64_t offset) const {
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr ? symbols->member_at(type, offset) : std::nullopt;
}

std::optional<Variable> Symbols::local_at(unsigned module, uint64_t function, uint64_t distance) const {
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr ? symbols->local_at(function, distance) : std::nullopt;
}

std::optional<Variable> Symbols::local_in_scope(unsigned module, uint64_t place, uint64_t distance) const {
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr ? symbols->local_in_scope(place, distance) : std::nullopt;
}

std::optional<Variable> Symbols::behind_pointer(unsigned module, uint64_t place, const std::string& pointer, uint64_t offset) const {
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr ? symbols->behind_pointer(place, pointer, offset) : std::nullopt;
}

std::string Symbols::build_id(unsigned module) const {
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr ? symbols->build_id() : std::string();
}

bool Symbols::has_debug_info(unsigned module) const {
  std::lock_guard lock(mutex_);
  ModuleSymbols* symbols = module_at(module);
  return symbols != nullptr && symbols->has_debug_info();
}

bool Symbols::is_system_library(unsigned module) const { return module < paths_.size() && is_system_library_path(paths_[module]); }

std::optional<std::string> Symbols::source_line(const std::string& file, int line) const {
  std::lock_guard lock(mutex_);
  return sources_.line(file, line);
}

std::optional<std::string> Symbols::source_statement(const std::string& file, int line) const {
  std::lock_guard lock(mutex_);
  return sources_.statement(file, line);
}

bool is_system_source(const std::string& file) {
  // The last two: what Rust's library says of itself, as rust-lang.org builds it and as Debian does.
  for (const char* start :
       {"/usr/include/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/local/include/c++/", "/rustc/", "/usr/src/rustc-"}) {
    if (file.starts_with(start)) return true;
  }
  return false;
}

bool is_system_library_path(const std::string& path) {
  if (heddle_is_system_path(path.c_str())) return true;
  std::string name = base_name(path);
  if (name.starts_with("[")) return true;  // the kernel's own: [vdso]
  for (const char* start : {"linux-vdso.so", "linux-gate.so", "ld-linux", "libc.so", "libm.so", "libdl.so", "librt.so", "libpthread.so",
                            "libstdc++.so", "libc++.so", "libc++abi.so", "libgcc_s.so", "libatomic.so", "libtsan.so", "libheddle-rt"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

}  // namespace heddle::symbols
