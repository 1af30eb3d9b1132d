#pragma once
// The passes' makers, one a file; registry.cpp lists them.
#include "simplify/simplify.h"

namespace heddle {

std::unique_ptr<Pass> make_tinertia(const PassInput& input);
std::unique_ptr<Pass> make_reorder(const PassInput& input);
std::unique_ptr<Pass> make_replan(const PassInput& input);
std::unique_ptr<Pass> make_direct(const PassInput& input);
std::unique_ptr<Pass> make_preemptions(const PassInput& input);
std::unique_ptr<Pass> make_merge(const PassInput& input);
std::unique_ptr<Pass> make_minimal(const PassInput& input);
std::unique_ptr<Pass> make_bound(const PassInput& input);
std::unique_ptr<Pass> make_exhaustive(const PassInput& input);

}  // namespace heddle
