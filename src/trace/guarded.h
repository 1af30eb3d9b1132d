#pragma once
// Which statements of the source ran under a lock. Where memory accesses are not seen (a program that was not built with heddle-cc), this is
// what can be said about an access that a change takes out of its critical section.
#include <set>
#include <string>
#include <vector>

#include "trace/anchors.h"

namespace heddle::trace {

// Statements between two operations of a thread in one function, while other threads lived.
struct GuardedLines {
  std::vector<std::string> held;  // sorted: a lock was held
  std::vector<std::string> bare;  // sorted: none was

  void add(const GuardedLines& more);
  // Names that `held` has and `bare` has not.
  std::vector<std::string> guarded_names() const;
};
GuardedLines guarded_lines(const PlacedTrace& placed);

// The names in a statement, without the language's own words.
std::set<std::string> names_in(const std::vector<std::string>& statements);

// What another run of the same build uses without a lock is not guarded.
void forget_bare(Anchors& anchors, const GuardedLines& more);

// Whether what ran under a lock in the old build does so in the new one: a sentence that says what does not; empty if all does, or if nothing did.
std::string no_longer_guarded(const Anchors& before, const GuardedLines& now);

}  // namespace heddle::trace
