// From module offsets to what people read: functions, source positions, variables. Off-line, from the files' ELF and
// DWARF data (DWARF 2 to 5, split and separate debug files included), independent of a running process.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "symbols/source_statement.h"

namespace heddle::symbols {

struct Frame {
  std::string function;  // demangled, in full; see pretty_function() for a short name. May be empty
  std::string file;      // empty if unknown; absolute where the debug information allows
  int line = 0;          // 0 if unknown, as is the column
  int column = 0;
  bool inlined = false;  // into the next frame
};

// How the bits of a value are meant.
enum class Encoding { kUnknown, kBoolean, kCharacter, kSigned, kUnsigned, kFloating, kPointer, kEnumeration };

struct Variable {
  std::string name;  // with the way to the member: "queue.items[3].next"
  std::string type;  // of that member; empty if unknown
  Encoding encoding = Encoding::kUnknown;
  uint64_t size = 0;  // of that member, in bytes; 0 if unknown
  std::string file;   // where the variable is declared; empty if unknown
  int line = 0;
};

class ModuleSymbols;

// The modules of a trace. Each is read when first asked about and kept. Files that are missing, stripped or corrupt
// are no error: the answers get poorer. Safe to use from several threads.
class Symbols {
 public:
  // The index of a path is the module number that sites carry.
  explicit Symbols(std::vector<std::string> module_paths);
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // All offsets are addresses minus the module's load bias, that is addresses as the file has them. For a return
  // address pass one less, so that the call is found and not what follows it.

  // Innermost first; inlined frames precede the function they were inlined into. Without debug information one frame
  // with the name of the ELF symbol; without that, none.
  std::vector<Frame> frames(unsigned module, uint64_t offset) const;

  // The innermost frame in the program's own source: not in a system header, if there is such a frame.
  std::optional<Frame> user_frame(unsigned module, uint64_t offset) const;

  // For people: "bank.cpp:12" (of user_frame), "worker+0x1c" without debug information, "libfoo.so+0x123" without
  // symbols.
  std::string describe(unsigned module, uint64_t offset) const;

  // The global or static variable that covers the offset. Without debug information the ELF symbol, "name+0x8".
  std::optional<Variable> global_at(unsigned module, uint64_t offset) const;

  // Where the global or static variable of that name lies, or a member of it, as global_at names them ("queue.items[3].next"); a variable in a
  // namespace or function is found by its last name, too.
  struct NamedPlace {
    uint64_t offset = 0, size = 0;
  };
  std::optional<NamedPlace> global_named(unsigned module, const std::string& name) const;

  // The member of a type named in the module's debug information ("Node", "ns::Queue"), for objects on the heap or the
  // stack; the name is the way to the member alone, "items[3].next". Nothing if the type is not known.
  std::optional<Variable> member_at(unsigned module, const std::string& type, uint64_t offset) const;

  // The local variable of the function that begins there, by its distance from the beginning of the function's frame.
  std::optional<Variable> local_at(unsigned module, uint64_t function, uint64_t distance) const;
  // The same, of the function whose code `place` is in, and in scope there.
  std::optional<Variable> local_in_scope(unsigned module, uint64_t place, uint64_t distance) const;

  // What lies `offset` bytes behind a pointer, by the name that the code at `place` has for it: "->next", "[3].next", "[2]".
  std::optional<Variable> behind_pointer(unsigned module, uint64_t place, const std::string& pointer, uint64_t offset) const;

  // Lower-case hexadecimal, or empty.
  std::string build_id(unsigned module) const;
  bool has_debug_info(unsigned module) const;

  // Libraries that reports hide: the system's, the compiler's and our own runtime.
  bool is_system_library(unsigned module) const;

  // The text of a source line, if the file is still there; see SourceFiles.
  std::optional<std::string> source_line(const std::string& file, int line) const;
  std::optional<std::string> source_statement(const std::string& file, int line) const;

 private:
  ModuleSymbols* module_at(unsigned module) const;  // null if it cannot be read; mutex_ held
  std::vector<Frame> frames_locked(unsigned module, uint64_t offset) const;

  const std::vector<std::string> paths_;
  mutable std::mutex mutex_;                                     // libdw objects are not for several threads
  mutable std::vector<std::unique_ptr<ModuleSymbols>> modules_;  // null before the first use
  mutable SourceFiles sources_;
};

// Headers of the system and the compiler.
bool is_system_source(const std::string& file);
bool is_system_library_path(const std::string& path);

}  // namespace heddle::symbols
