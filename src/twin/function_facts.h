#pragma once
// What a function's code does that matters for the choice between it and its twin.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "twin/assembly.h"
#include "wire/twin_note.h"

namespace heddle::twin {

struct Loop {
  std::string begin, end;  // labels
};

struct FunctionFacts {
  uint32_t flags = 0;                  // TwinFlag
  std::map<std::string, int> callees;  // with how many places call them; hooks and functions that touch only their arguments are left out
  int ends = 0;                        // hooks at the function's end
  bool no_result = false;              // leaves what the hook at its end has put into the register of results
  std::vector<Loop> loops;             // that read, and neither write nor count: they may be waiting
};

// Of each function of the unit. `marks` gets the labels that must be put behind the lines of a number for `loops` to be found.
std::map<std::string, FunctionFacts> facts_of_functions(const Unit& unit, std::map<size_t, std::string>* marks);

struct Note {
  std::string entry, end, plain, plain_end, cold, cold_end;  // labels; empty: none
  uint32_t flags = 0;
  uint64_t name = 0;
  std::vector<Loop> loops;
  std::vector<uint64_t> inlined, called;
};

uint64_t hash_name(std::string_view name);
// The assembly text of it, in the group of the function (empty: none).
std::string written(const Note& note, const std::string& group);

}  // namespace heddle::twin
