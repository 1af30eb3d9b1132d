#pragma once
// Objects on threads' stacks as the local variables that they are.
#include <vector>

#include "symbols/symbols.h"
#include "trace/locals.h"

namespace heddle::report {

// The trace with the places of locals in its rows of objects, as symbols::local_variable reads them. Only where the variable is the same at its
// first and at its last use.
Trace trace_with_locals(const Trace& trace, const std::vector<LocalPlace>& locals, const Symbols& symbols);

}  // namespace heddle::report
