#pragma once
// What the detector could not see: modules and functions of the program that announce nothing.
#include <functional>
#include <string>
#include <vector>

#include "symbols/symbols.h"
#include "trace/executor.h"

namespace heddle::cli {

struct BlindSpots {
  std::vector<std::string> plain_modules;
  size_t executed = 0;                       // functions of the program's own modules that were entered; 0: not counted
  std::vector<std::string> plain_functions;  // those of them that are not instrumented
  std::vector<std::string> warnings;
};

// `seen`: a run of the program. Counting the functions costs one more, by `run`, under the plan `base`.
BlindSpots blind_spots(const Trace& seen, const Symbols& symbols, const Plan& base, const Execute& run);

}  // namespace heddle::cli
