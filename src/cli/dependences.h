#pragma once
// What a failure depends on, found out by one strict replay under the Valgrind tool: no search. Execution Reduction, section 3.1.
#include <optional>

#include "cli/campaign.h"
#include "cli/results.h"
#include "simplify/reduce.h"
#include "simplify/thread_graph.h"

namespace heddle::cli {

struct Dependences {
  ThreadGraph graph;
  bool memory = false;  // the replay under the tool failed alike: its edges are there
  std::string why_not;  // where it did not
  size_t memory_edges = 0, file_edges = 0;
  std::vector<bool> relevant;      // by index in the failing trace: what the reduced run kept
  uint8_t kinds = 0;               // of edges that had to be followed
  std::vector<std::string> steps;  // what was tried, in words
};

struct DependenceResult {
  Dependences dependences;
  std::optional<ReduceResult> reduced;  // nothing: no thread could be left out
};

DependenceResult reduce_by_dependence(Campaign& campaign, const Trace& failing);

// For the `reduction` object: `dependences` and `edges`.
Json json_dependences(const Dependences& d, const Trace& failing);
Json json_edges(const Dependences& d, const Trace& failing);

}  // namespace heddle::cli
