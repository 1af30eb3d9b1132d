#pragma once
// Runs that differ from a known one at one place: there another thread goes first.
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/search.h"
#include "trace/happens_before.h"

namespace heddle::search {

// Follow `trace` up to its event `position`, then these slices, then stay.
struct Reversal {
  Trace trace;
  size_t position = 0;
  std::vector<Slice> then;
  std::vector<Choice> choices;  // sleeps, time-outs and waits that end before their time on this way
};
Plan plan_for(const Reversal& reversal, const SearchOptions& options);
// The slices that bring `thread` to its event `last` from `position` on, with what other threads must do before; empty if it would run
// into a lock of `taken`. `choices`: the sleeps and time-outs on the way must end although others can run.
std::vector<Slice> way_to(const Trace& trace, const HappensBefore& must, size_t position, size_t last, const std::vector<ObjectId>& taken,
                          std::vector<Choice>* choices = nullptr);

// The reversals that the runs so far suggest, most promising first.
//
// Each pair of conflicting operations that could have come the other way round gives one (as the backtrack points of dynamic partial
// order reduction: Flanagan & Godefroid, POPL 2005, section 3). What is promising: a pair of sites that no run has turned round yet; a
// switch inside the work of a thread that has already touched shared data (an atomicity violation) before one at its beginning (another order of whole threads);
// conflicts with a read before those of two writes; going there before going there and back; few preemptions (Musuvathi & Qadeer, PLDI 2007). Rings of lock requests come before
// all: there each thread goes as far as its first lock, and the next one follows. With them come the threads that the process's end leaves
// behind, each let in just before that end.
//
// A way over a sleep or a time-out needs it to end although others can run; so do sleeps that end at once, and waits on conditions
// that end without a signal. These wait apart (take_timing), short ones first: no machine forbids them, but a person has to judge whether they happen.
// Time-outs of waits that others ended wait apart once more (take_timeout): how long they would have taken no run has shown.
class Reversals {
 public:
  // `history`: how often each pair of sites has been turned round by earlier searches, or nothing.
  // `timing`: ends before their time in one schedule, at most; 0: ways over sleeps are proposed as if these would not matter.
  explicit Reversals(std::shared_ptr<SearchHistory> history = nullptr, uint32_t timing = 0);
  // Learns from a run. Runs that repeat a known partial order teach nothing.
  void add(const Trace& trace);
  bool empty() const { return waiting_.size == 0; }
  size_t waiting() const { return waiting_.size; }
  // The best one, or nothing.
  std::optional<Reversal> take() { return take_from(waiting_); }
  // The best one that needs something to end before its time, or nothing.
  std::optional<Reversal> take_timing() { return take_from(timing_waiting_); }
  // The best one in which a wait that somebody else ended times out instead, or nothing.
  std::optional<Reversal> take_timeout() { return take_from(timeouts_waiting_); }

 private:
  struct Candidate {
    std::shared_ptr<const Trace> trace;
    size_t position;
    std::vector<Slice> then;
    uint64_t key;   // names the two sites and how many preemptions came before
    uint32_t tier;  // smaller is more promising
    uint32_t preemptions;
    uint64_t order;                 // of discovery
    std::vector<Choice> choices{};  // that end something before its time
    uint32_t timing = 0;            // how much ends so, in the beginning and by these
  };
  struct Rank {
    uint64_t cost;
    uint64_t order;
    size_t at;  // in candidates_
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  // Candidates, best first. What a try of a pair of sites adds to the cost it adds to all candidates of that pair: so they stand in a queue
  // of their own, and of each queue only the first has a place among the others.
  struct Waiting {
    std::set<Rank> first;                                   // of each queue, with all its cost
    std::unordered_map<uint64_t, std::set<Rank>> by_key{};  // cost: without what tries of the key add
    size_t size = 0;
  };
  void push(Candidate candidate) {
    Waiting& waiting = candidate.timing > 0 ? timing_waiting_ : waiting_;
    push(std::move(candidate), waiting);
  }
  void push(Candidate candidate, Waiting& waiting);
  void add_rings(const std::shared_ptr<const Trace>& trace, const HappensBefore& must);
  void add_ends(const std::shared_ptr<const Trace>& trace, const std::vector<uint64_t>& states);
  std::optional<size_t> take_best(Waiting& waiting);
  std::optional<Reversal> take_from(Waiting& waiting);
  void add_sleeps(const std::shared_ptr<const Trace>& trace, const std::vector<uint64_t>& states);
  void add_timeouts(const std::shared_ptr<const Trace>& trace, const std::vector<uint64_t>& states, const std::vector<EventPair>& pairs);
  uint64_t tried(uint64_t key) const;
  static uint64_t schedule_of(const Candidate& candidate);

  std::vector<Candidate> candidates_;
  Waiting waiting_;
  Waiting timing_waiting_;
  Waiting timeouts_waiting_;
  uint32_t timing_;
  std::shared_ptr<SearchHistory> history_;  // tries by key
  std::unordered_set<uint64_t> orders_;     // partial orders seen
  std::unordered_set<uint64_t> rings_;      // by their sites
  std::unordered_set<uint64_t> started_;    // (state, thread) already proposed or waiting
  std::unordered_set<uint64_t> planned_;    // schedules handed out
  uint64_t order_ = 0;
};

}  // namespace heddle::search
