#pragma once
// What a reduction left of a failing run, for reports and JSON: saved beside the bug as `reduction.json`, shown as `reduction`.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "wire/rooms.h"

namespace heddle::store {

struct BeforeAfter {
  uint64_t before = 0, after = 0;

  friend bool operator==(const BeforeAfter&, const BeforeAfter&) = default;
};

// The iterations of one loop that one thread still executes.
struct KeptIterations {
  std::string file;
  uint32_t line = 0;
  std::string thread;
  uint64_t before = 0;            // how many it executed in the whole run
  std::vector<uint64_t> numbers;  // from 1, in the whole run

  friend bool operator==(const KeptIterations&, const KeptIterations&) = default;
};

// A statement of the program that one thread still executes.
struct KeptStatement {
  std::string file;
  uint32_t line = 0;
  std::string thread;
  uint64_t before = 0, times = 0;  // how often, in the run that was sliced and in what is left of it

  friend bool operator==(const KeptStatement&, const KeptStatement&) = default;
};

// LEAN, Definition 2, of the final run.
struct CriterionShown {
  bool fails = false;           // I: its schedule still fails in the same way
  bool check_reached = false;   // II: a sequential run reaches the failing check...
  bool check_passed = false;    // ...and goes on after it
  bool sequential_bug = false;  // the whole program fails without any interleaving: II is not asked for
  bool asked = true;            // II was looked at: not where dependences alone decided

  friend bool operator==(const CriterionShown&, const CriterionShown&) = default;
};

// A request of a recorded run that the reduced one still gets.
struct KeptRequest {
  std::string connection;  // "connection 12"
  uint64_t number = 0;     // of the recorded run's requests, from 1
  uint64_t bytes = 0;
  uint64_t bytes_left = 0;  // fewer where messages of it were left out
  std::string begins;       // what is left

  friend bool operator==(const KeptRequest&, const KeptRequest&) = default;
};

// What came from outside.
struct InputsLeft {
  BeforeAfter requests, connections, calls;  // calls: records of the log
  std::vector<KeptRequest> kept;

  friend bool operator==(const InputsLeft&, const InputsLeft&) = default;
};

// Blocks of instructions and accesses to memory, of the whole run and of the reduced one; and of those intervals of it that are worth a trace.
struct TraceSizes {
  BeforeAfter blocks, accesses;
  uint64_t intervals = 0, intervals_traced = 0, edges = 0;  // edges: between intervals, by memory
  uint64_t blocks_traced = 0, accesses_traced = 0, bytes_traced = 0;
  double seconds_before = 0, seconds_after = 0;  // of the replay that traces
  std::string why_not;

  friend bool operator==(const TraceSizes&, const TraceSizes&) = default;
};

struct ReductionRecord {
  std::vector<std::string>
      by;  // "dependence": threads on which the failing one does not depend; "delta": threads and iterations, by trying
  BeforeAfter threads;
  std::vector<std::string> kept_threads;
  std::optional<BeforeAfter> iterations;  // nothing: the program marks no loops, or none that matters
  std::vector<KeptIterations> kept_iterations;
  std::optional<BeforeAfter> statements;  // executions, before and after slicing; nothing: none are marked, or no slice could be had
  std::vector<KeptStatement> kept_statements;
  std::string no_statements;             // why no slice could be had
  std::optional<InputsLeft> inputs;      // nothing: the run was not recorded with others outside, or whose bytes they were is not known
  std::string no_inputs;                 // why nothing of them could be left out
  std::optional<BeforeAfter> intervals;  // thread execution intervals
  std::optional<TraceSizes> trace;       // where somebody asked
  BeforeAfter log_events;
  double replay_seconds_before = 0, replay_seconds_after = 0;
  bool same_failure = false;
  CriterionShown criterion;

  friend bool operator==(const ReductionRecord&, const ReductionRecord&) = default;
};

// Beside bug.json.
inline constexpr const char* kReductionFile = "reduction.json";
nlohmann::ordered_json json_reduction(const ReductionRecord& reduction);
std::string encode_reduction(const ReductionRecord& reduction);
// Nothing for a text that is no reduction.
std::optional<ReductionRecord> decode_reduction(const std::string& text);

}  // namespace heddle::store
