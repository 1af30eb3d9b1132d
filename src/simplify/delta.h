#pragma once
// Delta debugging between a passing and a failing schedule, both given as times of switches (Choi & Zeller, ISSTA 2002, section 4).
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "wire/rooms.h"

namespace heddle::simplify {

enum class TestOutcome { kPass, kFail, kUnresolved };
using Times = std::vector<uint64_t>;

// Valid = sorted (Definition 4). Invalid schedules are unresolved without a run (Axiom 7).
bool valid_times(const Times& times);

struct DeltaResult {
  Times passing, failing;    // differ in a 1-minimal set of atomic differences (Definition 16), if `minimal`
  uint64_t differences = 0;  // atomic, at the start (Corollary 12)
  uint64_t left = 0;         // atomic, at the end
  size_t switches = 0;       // that differed at the start
  size_t switches_left = 0;
  size_t tests = 0;                // schedules that were run
  size_t tests_to_one_switch = 0;  // tests after which a single switch was left; 0 = never
  size_t invalid = 0;              // decided without a run
  size_t unresolved = 0;           // of the tests
  bool minimal = false;            // false: the tests ended before
};

// The two have the same length: pad() them. `test` runs a valid schedule; `go_on` is asked before each test; `valid` tells, without a run,
// which schedules there are.
DeltaResult delta_debug(
    Times passing, Times failing, const std::function<TestOutcome(const Times&)>& test,
    const std::function<bool()>& go_on = [] { return true; }, const std::function<bool(const Times&)>& valid = valid_times);

// Dummy switches after the end of the run (section 4.3).
void pad(Times& a, Times& b, uint64_t after);

}  // namespace heddle::simplify
