#pragma once
// Claims about what decides between pass and fail, held against runs with different event orders.
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "trace/cause.h"

namespace heddle::simplify {

enum class RunVerdict {
  kFailed,  // with this bug
  kPassed,
  kOther,
};

class CauseFinder {
 public:
  // The failing run is the first sample.
  explicit CauseFinder(const Trace& failing);

  // False if a run with this order of events and this end is there already.
  bool add(const Trace& trace, RunVerdict verdict);
  size_t failed() const { return failed_; }
  size_t passed() const { return passed_; }

  // That it fails if others do something after operation `low` of the thread (an index in the failing run) and before its operation
  // `high`: which of the operations that others do there tells failing from passing runs best, of this thread or of any. Nothing where
  // none does.
  std::optional<Cause> window(uint32_t thread, uint64_t low, uint64_t high) const;
  // The two conflicting operations whose order tells them best.
  std::optional<Cause> order() const;

  // An operation by what survives a change of schedule, and which of the thread's alike it is.
  struct Key {
    ThreadId thread;
    Op op;
    ObjectId object;
    SiteId site;
    uint32_t nth;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Pair = std::pair<Key, Key>;
  // Of an event of the failing run; from events().size() on: of the next operation of the thread of that index in the end.
  Key key(size_t event) const;
  // How the runs ended in which the first of each pair came first; and, if given, that of `turned` did not.
  CauseSide count(const std::vector<Pair>& orders, const Pair* turned = nullptr) const;

 private:
  struct Sample {
    Trace trace;
    RunVerdict verdict;
    std::map<Key, size_t> at;
  };
  struct Gap;

  static Sample sample_of(const Trace& trace, RunVerdict verdict);
  static bool came_first(const Sample& sample, const Key& a, const Key& b);
  static bool inside(const Sample& sample, const Gap& gap);
  template <typename Holds>
  double score(Holds holds, Cause* cause) const;
  CauseEvent event_numbered(uint32_t thread, uint64_t number) const;

  std::vector<Sample> samples_;
  std::unordered_set<uint64_t> seen_;
  size_t failed_ = 0, passed_ = 0;
};

}  // namespace heddle::simplify
