#pragma once
// Where the anchors of a schedule are in another build. Operations of the old build are matched one to one with those that runs of the new one show:
// by kind, object, function, statement and the lines around it, the likest first.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trace/anchors.h"

namespace heddle::trace {

enum class AnchorFate : uint8_t {
  kExact,  // the same operation, statement, function and line
  kMoved,  // found elsewhere, or changed; or its operation is gone, and those around it are there
  kLost,
};

// What became of the end of a slice.
struct ReanchoredEnd {
  AnchorFate fate = AnchorFate::kLost;
  std::string from, to;           // in words
  std::optional<uint64_t> until;  // the last operation before the switch, among the thread's own; nothing where it is lost
  SiteId site = kNoSite;          // of the thread's next operation
};

class Reanchoring {
 public:
  // `anchors` must outlive it.
  explicit Reanchoring(const Anchors& anchors);

  // Adds what a run of the new build shows.
  void learn(const PlacedTrace& run);

  // Index of the thread in that run, or kNoIndex: the same path of births, unless the routine says otherwise.
  uint32_t thread(uint32_t old_thread, const PlacedTrace& run) const;
  // The end of the slice in a run in which its thread went on; only behind its operation `done`.
  ReanchoredEnd end(size_t slice, const PlacedTrace& run, uint64_t done) const;
  // The number of an operation among those of its thread in that run; nothing if it did not come to it.
  std::optional<uint64_t> number(uint32_t old_thread, const NumberedOperation& at, const PlacedTrace& run) const;
  // The sites in that run of the operations that an old one became.
  std::vector<SiteId> sites(uint32_t old_operation, const PlacedTrace& run) const;
  // Is there an operation in the new build that this one became?
  bool found(uint32_t old_operation) const { return matched(old_operation).has_value(); }
  // Was this lock, or its release, replaced by atomics: does its function change memory by them now?
  bool replaced(uint32_t old_operation) const;
  // Does the thread, or another of its routine, synchronise in that run by an operation that none of the old build became?
  bool synchronises_anew(uint32_t old_thread, const PlacedTrace& run) const;
  // Operations of the new build that none of the old one became.
  std::vector<PlacedOperation> added() const;

 private:
  struct Match {
    uint32_t operation;  // in new_
    bool exact;
  };
  std::optional<Match> matched(uint32_t old_operation) const;
  void match() const;

  const Anchors& anchors_;
  std::vector<uint32_t> named_;   // old operations that the anchors name
  std::vector<uint32_t> wanted_;  // ... and those of the same functions
  std::vector<PlacedOperation> new_;
  std::set<std::string> known_;  // what is in new_
  mutable std::map<uint32_t, Match> matches_;
  mutable bool matched_ = false;
};

// How alike two operations are, 0 to 1.
double likeness(const PlacedOperation& a, const PlacedOperation& b);
// The same failure, in whichever build? Kind, place and text agree, as far as an edit leaves them.
bool same_ending(const AnchoredEnding& before, const AnchoredEnding& now);

// What an assertion says, without its place: "balance >= 0".
std::string asserted_text(const std::string& message);

}  // namespace heddle::trace
