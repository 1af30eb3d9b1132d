#pragma once
// What kind of bug a failing trace shows, derived from its evidence: how it ended, what the stopped thread did before and after the
// deciding switch and the others did in between, and the orders that were run to test that. A wrong name is worse than none: what
// the evidence does not bear out stays unknown.
#include <string>
#include <vector>

#include "report/names.h"
#include "trace/cause.h"

namespace heddle::report {

enum class BugClass {
  kUnknown,
  kDeadlock,
  kLostWakeup,
  kAtomicity,       // of one variable, or of what one lock guards
  kMultiAtomicity,  // of several that belong together
  kOrder,
  kUseAfterFree,  // or after teardown
  kDataRace,
  kLivelock,
  kMisuse,
  kUntestedWait,    // went on after a wait without testing again what it waited for
  kIgnoredTimeout,  // went on although the wait was over before what it waited for had happened
  kEverySchedule,   // no order of events is known that passes
};
// "atomicity violation"
const char* words(BugClass kind);
// "atomicity-violation": for machines
const char* rule_name(BugClass kind);
// One sentence: what this kind of bug is, where the evidence does not say which line to change.
const char* advice(BugClass kind);

// A line of the source that takes part, with the stretch around it that belongs to it: a critical section, or the gap into which others
// came.
struct DecidingLine {
  Frame frame;
  uint32_t thread = 0;          // index in the failing trace
  std::string caption;          // "main reads it here (step 4)"
  size_t step = kNoDifference;  // index in the failing trace
  int from = 0, to = 0;         // lines of the same file; 0: the line alone
};

// A thread of a deadlock: what it waits for, and who has it.
struct WaitEdge {
  uint32_t thread = 0;
  Op op = Op::kNone;
  ObjectId object = kNoObject;
  std::string at;  // where it waits
  uint32_t holder = kNoIndex;
  std::string taken_at;  // where the holder took it; empty if unknown
  bool in_cycle = false;
};

struct Diagnosis {
  BugClass kind = BugClass::kUnknown;
  std::string subject;             // a variable or lock, without quotes; may be empty
  std::string ending;              // "assert balance >= 0, bank.cpp:6"
  std::string why;                 // a sentence or two, with steps and values
  std::string claim;               // "Fails if and only if T2 runs between a.c:5 and a.c:6.  [tested: ...]"; empty if nothing was tested
  std::string enough;              // where several orders are needed: that they are enough together, and how that was tested
  std::vector<std::string> parts;  // and each of them, with its test
  std::string fix;                 // what to change and where; the class's advice where the evidence names no line
  std::string doomed;  // "From step 9 on ...: all 24 continuations tried fail, 10 of 24 before it."; empty if that was not looked for
  std::vector<DecidingLine> lines;
  std::vector<WaitEdge> waits;
  size_t deciding = kNoDifference;  // the last event before the deciding switch

  // "atomicity violation on `balance`"
  std::string title() const;
};

// `passing`: the nearest passing run, which has what the failing one never came to.
Diagnosis diagnose(Names& names, const Cause* cause, const Trace* passing = nullptr, const Stacks* passing_stacks = nullptr);

// "balance >= 0" of an assertion's message; empty if it is none.
std::string assertion_text(const std::string& message);
// How the run ended, short, with the place: "assert balance >= 0, bank.cpp:6".
std::string short_ending(const Names& names);

}  // namespace heddle::report
