#pragma once
// The story of a bug in the terminal: the first two lines are the whole of it, threads are columns, time runs down, the last lines
// are commands to paste.
#include <string>

#include "report/diagnosis.h"
#include "store/bugs.h"
#include "store/reduction.h"
#include "symbols/symbols.h"
#include "trace/cause.h"
#include "trace/origin_lines.h"
#include "trace/trace.h"

namespace heddle::report {

struct TextOptions {
  bool all = false;  // every event; else repetition and the middle of long slices are left out
  bool colour = false;
  size_t width = 120;
};

// What is known about a bug. The pointers may be null, and must outlive it.
struct Story {
  const Bug& bug;
  const Trace& failing;            // simplified where it was
  const Symbols& symbols;          // of the failing trace
  const Trace* passing = nullptr;  // the nearest passing run
  const Cause* cause = nullptr;
  const ReductionRecord* reduction = nullptr;
  const std::vector<OriginLine>* origins = nullptr;  // the lines that led to the failure, in the order of execution
  const Stacks* stacks = nullptr;                    // of the failing run
  const Stacks* passing_stacks = nullptr;
  std::string replay = {};  // hd2:...
  std::string output = {};  // the program's last words, where they tell what failed
  std::string page = {};    // where it lies
};

std::string explain_text(const Story& story, const TextOptions& options = {});
Diagnosis diagnose(Names& names, const Story& story);

// The columns alone: events [begin, end).
std::string columns_text(const Trace& trace, const Symbols& symbols, size_t begin, size_t end, const TextOptions& options = {});

// One sentence about how the run ended, with names.
std::string ending_sentence(const Trace& trace, const Symbols& symbols);

// The paths that Symbols wants.
std::vector<std::string> module_paths_of(const Trace& trace);

}  // namespace heddle::report
