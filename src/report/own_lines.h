#pragma once
// A run as its report shows it: each event at the line of the program that led to it, where the trace names a place in a library.
#include "symbols/symbols.h"
#include "trace/cause.h"
#include "trace/stacks.h"
#include "trace/trace.h"

namespace heddle::report {

// Without stacks it is the trace as it is. Not to be replayed: sites have changed.
Trace trace_at_own_lines(const Trace& trace, const Stacks& stacks, const Symbols& symbols);
// The claim about that run, at the same places. What the failing run never came to is looked for in the passing one; that may be null.
struct OwnLines {
  const Trace& trace;
  const Trace& at_own_lines;
};
Cause cause_at_own_lines(const Cause& cause, const OwnLines& failing, const OwnLines* passing);

// Does the site lie in code that is the program's own and not a library's?
bool is_own_site(const Symbols& symbols, SiteId site);

}  // namespace heddle::report
