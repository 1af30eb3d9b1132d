#pragma once
// Modules that lock by themselves: with atomic instructions of their own, of which nobody is told.
#include <cstddef>
#include <string>
#include <vector>

#include "wire/rooms.h"

namespace heddle::symbols {

struct OwnLocks {
  std::string path;
  size_t exchanges = 0;  // instructions that compare and swap, or exchange: what locks are made of
};

// Those of the program's own modules that have any; the ones with most first. The C library, the C++ library and others of the system are not asked.
std::vector<OwnLocks> find_own_locks(const std::vector<std::string>& paths);

// "prog and libfoo.so lock by themselves (35 and 2 ...)". Empty: nothing to say.
std::string words_about(const std::vector<OwnLocks>& modules);

}  // namespace heddle::symbols
