#pragma once
// Finds the loop in which a thread waits without a call, from the instructions that it executes.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbols/displace.h"

namespace heddle::symbols {

struct LoadedModule {
  std::string path;
  uint64_t bias = 0, low = 0, high = 0;  // low and high relative to the bias
};

// Does every round of whatever it goes through begin with the same registers? It waits then, wherever its code is.
bool goes_round_in_place(std::span<const CodeStep> steps);

// Of one thread that nobody interrupts: some of its instructions, and some more a while later. The loop waits if it cannot get on by itself, as far as
// can be seen: each round begins with the same registers, or whatever it accesses later it has accessed before; and a branch
// depends on memory that it only reads, or accesses by atomic instructions. An ordinary loop over data touches new memory all the time.
// Gives the place in the loop that every round passes and that can be displaced best.
std::optional<CodePoint> find_waiting_loop(CodeModules& modules, std::span<const LoadedModule> loaded, std::span<const CodeStep> first,
                                           std::span<const CodeStep> later);

}  // namespace heddle::symbols
