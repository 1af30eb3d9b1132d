// One ELF file, opened read-only: its symbol tables, build id and loadable segments, and the way to its separate
// debug file. Nothing here trusts the file: whatever is malformed is treated as absent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct Elf;

namespace heddle::symbols {

struct ElfSymbol {
  uint64_t value = 0;
  uint64_t size = 0;
  std::string_view name;  // mangled; lives as long as the ElfFile
};

class ElfFile {
 public:
  // Null if the file cannot be read or is not an ELF object.
  static std::unique_ptr<ElfFile> open(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  const std::string& path() const { return path_; }
  Elf* elf() const { return elf_; }

  // Lower-case hexadecimal; empty if the file carries none.
  const std::string& build_id() const { return build_id_; }

  // Addresses the linker really placed. Debug information of discarded sections keeps addresses outside of them. An
  // object without program headers places everything.
  bool is_code(uint64_t address) const;
  bool is_loaded(uint64_t address) const;

  // Reads .symtab, or .dynsym where that was stripped.
  struct SymbolTable {
    std::vector<ElfSymbol> functions;  // both sorted by value, one symbol for each value
    std::vector<ElfSymbol> objects;
  };
  SymbolTable read_symbols() const;

  // The file with the debug information stripped from this one: by build id under /usr/lib/debug, then by
  // .gnu_debuglink. Only a file that provably belongs to this one is returned. Never goes to the network.
  std::unique_ptr<ElfFile> open_debug_file() const;

 private:
  struct Segment {
    uint64_t begin;
    uint64_t end;
    bool executable;
  };

  ElfFile(std::string path, std::unique_ptr<char[]> image, size_t size, Elf* elf);
  void read_segments();
  bool matches_debug_link(const ElfFile& debug, uint32_t crc) const;

  std::string path_;
  // The whole file and a zero behind it: libdw trusts strings to end, and here they do. A copy, so that a program
  // rebuilt in place while we look can neither mix old with new nor take pages away.
  std::unique_ptr<char[]> image_;
  size_t size_;
  Elf* elf_;
  std::string build_id_;
  std::vector<Segment> segments_;
};

// The symbol that covers the address; a symbol without a size reaches to the next one.
std::optional<ElfSymbol> covering_symbol(const std::vector<ElfSymbol>& sorted, uint64_t address);

// A module as the linker left it: its file, the debug file beside it, and the symbols of either.
class ModuleElf {
 public:
  explicit ModuleElf(const std::string& path);

  const ElfFile* file() const { return file_.get(); }              // null if it cannot be read
  const ElfFile* debug_file() const { return debug_file_.get(); }  // null if there is none
  void look_for_debug_file();

  bool is_code(uint64_t address) const { return file_ != nullptr && file_->is_code(address); }
  bool is_loaded(uint64_t address) const { return file_ != nullptr && file_->is_loaded(address); }
  std::optional<ElfSymbol> function(uint64_t address) { return covering_symbol(symbols().functions, address); }
  std::optional<ElfSymbol> object(uint64_t address) { return covering_symbol(symbols().objects, address); }

 private:
  const ElfFile::SymbolTable& symbols();

  std::unique_ptr<ElfFile> file_;
  std::unique_ptr<ElfFile> debug_file_;
  std::optional<ElfFile::SymbolTable> symbols_;  // read when first asked for
};

// The C++ name of the symbol, if it is the one that starts at the address and has one.
std::optional<std::string> cxx_name(const std::optional<ElfSymbol>& symbol, uint64_t address);

}  // namespace heddle::symbols
