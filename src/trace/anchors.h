#pragma once
// A schedule tied to the source: where each of its switches comes, in words that outlive an edit. Operation numbers and module offsets name a
// place in one build only; a function, a statement with the lines around it, the kind of operation and its object name it in the next.
#include <memory>
#include <string>
#include <vector>

#include "symbols/symbols.h"
#include "trace/stacks.h"
#include "trace/trace.h"

namespace heddle::trace {

// A line of the program's own source.
struct SourcePlace {
  std::string function;       // short; empty if unknown
  std::string file;           // last part of the path; empty without debug information
  int line = 0;               // 0 if unknown
  std::string text;           // the statement; empty if the source was not there
  std::string before, after;  // the next lines with code on either side

  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

// What some thread does at one place, however often.
struct PlacedOperation {
  Op op = Op::kNone;
  std::string object;  // its name; empty where it has none
  SourcePlace place;

  friend bool operator==(const PlacedOperation&, const PlacedOperation&) = default;
};
inline constexpr uint32_t kNoOperation = 0xFFFFFFFF;

struct AnchoredThread {
  std::string path;   // of births, "0.2.1"
  std::string entry;  // its start routine; empty if that is a library's
};

// An operation of a thread, the time-th time that the thread does it, from 1.
struct NumberedOperation {
  uint32_t operation = kNoOperation;  // in Anchors::operations
  uint32_t time = 0;
};

// The end of a slice: the next operation of its thread when another one goes on.
struct Anchor {
  uint32_t thread = 0;                    // in Anchors::threads
  bool ready = false;                     // it could have gone on: the switch was chosen
  std::vector<NumberedOperation> after;   // what the thread does next, in order; empty: it ends, or the run does
  std::vector<NumberedOperation> before;  // what it did, the last first
};
inline constexpr size_t kMostAfter = 6, kMostBefore = 10;

// A choice other than who runs (Choice in a plan), at an operation of the thread.
struct AnchoredChoice {
  uint32_t thread = 0;
  NumberedOperation at;
  uint32_t chosen = kNoOperation;  // the thread that the value names; kNoOperation: it names none
  uint64_t value = 0;
};

// How a failing run ended, to tell the same failure in another build.
struct AnchoredEnding {
  std::string kind;  // OutcomeKind
  int code = 0;
  std::string message;
  SourcePlace place;                   // of the failure, in the program's own code
  std::vector<PlacedOperation> waits;  // of a deadlock: what its threads wait for
};

struct Anchors {
  std::vector<AnchoredThread> threads;
  std::vector<PlacedOperation> operations;  // all that the threads did, each once, in the order of the run
  std::vector<Anchor> ends;                 // one for each slice
  std::vector<AnchoredChoice> choices;
  std::vector<uint32_t> sites;       // PointKind::kRacy: the accesses that were points, in `operations`
  std::vector<std::string> held;     // statements that ran under a lock (trace/guarded.h)
  std::vector<std::string> guarded;  // names that occur only in such statements while several threads live
  AnchoredEnding ending;
  PointKind points = PointKind::kSync;
  uint32_t preemptions = 0;
  uint32_t early_timeouts = 0;
  bool sleeps = false;  // the threads wait for time to pass

  bool empty() const { return ends.empty(); }
  // Are there places at all? Not in a build without symbols.
  bool placed() const;
};

// Names of the operations of a trace in the words of its source.
class PlacedTrace {
 public:
  // `stacks` may be empty. All must outlive it.
  PlacedTrace(const Trace& trace, const Symbols& symbols, const Stacks& stacks);

  // Number of the event's operation in operations().
  uint32_t operation(size_t event) const { return of_event_[event]; }
  // Of the thread's next operation when the run ended; kNoOperation if it had ended.
  uint32_t pending(uint32_t thread) const { return pending_[thread]; }
  const std::vector<PlacedOperation>& operations() const { return operations_; }
  const Trace& trace() const { return trace_; }
  const Symbols& symbols() const { return symbols_; }
  // Whole path of the source file of an operation's place, for reading other lines of it; empty if unknown.
  const std::string& path(uint32_t operation) const { return paths_[operation]; }
  std::string entry_of(uint32_t thread) const;
  // The first place of the program's own code on a stack.
  SourcePlace place(const std::vector<SiteId>& stack) const;

 private:
  uint32_t add(Op op, ObjectId object, const std::vector<SiteId>& stack);
  std::string object_name(ObjectId id) const;

  const Trace trace_;
  const Symbols& symbols_;
  std::vector<PlacedOperation> operations_;
  std::vector<std::string> paths_;
  std::vector<uint32_t> of_event_, pending_;
  struct Memo;
  std::shared_ptr<Memo> memo_;
};

// Places the runs of one build; keeps what it has read of its files.
class Placer {
 public:
  // With the stacks that the run brings (kDetectStacks), or the given ones.
  PlacedTrace place(const Trace& trace);
  PlacedTrace place(const Trace& trace, const Stacks& stacks);

 private:
  const Symbols& symbols_for(const Trace& trace);
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<Symbols>> symbols_;  // the last is of `paths_`; runs placed before refer to the others
};

Anchors anchors_of(const PlacedTrace& failing);
Anchors anchors_of(const Trace& failing, const Symbols& symbols, const Stacks& stacks);
AnchoredEnding ending_of(const PlacedTrace& placed);

// "locks `lock` at bank.c:12 (transfer)"
std::string operation_words(const PlacedOperation& operation);
// "bank.c:12"
std::string place_words(const SourcePlace& place);

}  // namespace heddle::trace
