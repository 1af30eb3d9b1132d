#pragma once
// The story of a bug in the terminal: the first two lines are the whole of it, threads are columns, time runs down, the last lines
// are commands to paste.
#include <string>

#include "trace/bugs.h"
#include "trace/symbols.h"
#include "trace/trace.h"

namespace heddle {

struct TextOptions {
  bool all = false;  // every event; else the middle of long slices is left out
  bool colour = false;
  size_t width = 120;
};

std::string explain_text(const Bug& bug, const Trace& trace, const Symbols& symbols, const TextOptions& options = {});

// The columns alone: events [begin, end).
std::string columns_text(const Trace& trace, const Symbols& symbols, size_t begin, size_t end,
                         const TextOptions& options = {});

// One sentence about how the run ended, with names.
std::string ending_sentence(const Trace& trace, const Symbols& symbols);

}  // namespace heddle
