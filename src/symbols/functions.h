#pragma once
// The functions of a module, and the compilation units that they come from.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wire/rooms.h"

namespace heddle::symbols {

class ModuleFunctions {
 public:
  explicit ModuleFunctions(const std::string& path);
  ~ModuleFunctions();
  ModuleFunctions(ModuleFunctions&&) noexcept;

  // Where they begin, sorted; without those that the compiler's start-up files bring along. Empty for a file that cannot be read.
  const std::vector<uint64_t>& starts() const { return starts_; }
  // A number for the compilation unit that the code belongs to; nothing without debug information.
  std::optional<uint64_t> unit(uint64_t offset) const;

 private:
  struct Debug;
  std::vector<uint64_t> starts_;
  std::unique_ptr<Debug> debug_;
};

}  // namespace heddle::symbols
