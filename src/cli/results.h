#pragma once
// The words and the JSON that several verbs give back.
#include <nlohmann/json.hpp>
#include <string>

#include "symbols/symbols.h"
#include "trace/trace.h"

namespace heddle::cli {

using Json = nlohmann::ordered_json;

Json json_failure(const Trace& trace);
// What the schedule asks of time; empty if nothing.
Json json_timing(const Trace& trace);
Json json_counts(const Counts& counts, bool with_paper = false);

// Where the schedule matters, the most decisive first: the switch after event `deciding` if it was isolated, the preemptions (or the
// switches where there are none), and the last operation before the failure.
Json json_cause(const Trace& trace, size_t deciding = kNoDifference);

// One document on stdout.
void print_json(const Json& document);

// "deadlock: T1 waits for...", one line.
std::string describe_failure(const Trace& trace);
std::string describe_counts(const Counts& counts);

}  // namespace heddle::cli
