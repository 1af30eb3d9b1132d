#pragma once
// Threads, objects and places of a trace in words.
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "symbols/symbols.h"
#include "trace/stacks.h"
#include "trace/trace.h"

namespace heddle::report {

// "main", "T2", "T2.1": the path of births without the main thread's 0.
std::string thread_name(const Thread& thread);

struct Allocation;  // what the statement of an allocation says

class Names {
 public:
  // All must outlive it; `stacks` may be null.
  Names(const Trace& trace, const Symbols& symbols, const Stacks* stacks = nullptr);

  std::string thread(uint32_t index) const;
  // A variable's name where there is one, else what it is and a letter, the same throughout: "mutex A".
  std::string object(ObjectId id, Op op);
  // Letters and numbers that another run's story has given, so that one object has one name in both.
  void adopt(const Names& other);
  // The one file of the program that the run concerns, without its directory; empty where there are several or none.
  const std::string& only_file() const;
  // Where an event stands in a table: ":12" where one file is concerned, else "bank.cpp:12"; empty where the code is the system's.
  std::string row_place(SiteId site) const;
  // "bank.cpp:12"
  std::string place(SiteId site) const;
  static std::string place(const Frame& frame);
  // "  bank.cpp:12", or nothing where the code is the system's.
  std::string own_place(SiteId site) const;
  // The first frame of the program's own code, or the innermost.
  std::string place(const std::vector<SiteId>& stack) const;
  // That frame's site, or kNoSite where none is the program's own.
  SiteId own_site(const std::vector<SiteId>& stack) const;
  // All such frames, innermost first.
  std::vector<SiteId> own_sites(const std::vector<SiteId>& stack) const;
  std::optional<Frame> frame(SiteId site) const;
  // The program's own functions on that stack, inlined ones too, innermost first; only with a known line.
  std::vector<Frame> calls(const std::vector<SiteId>& stack) const;
  // Those that led to an event: of its stack where that was kept, else of its site alone.
  std::vector<Frame> calls(size_t event) const;
  // The source text there, if the file still exists.
  std::string statement(SiteId site) const;
  // One event: "locks mutex A", "reads balance -> 100".
  std::string operation(const Event& event);
  // A thread's next operation: "lock mutex A".
  std::string operation(Op op, ObjectId object);
  // Where the objects that have only a letter come from.
  std::vector<std::string> legend() const;

  const Trace& trace() const { return trace_; }
  const Symbols& symbols() const { return symbols_; }
  const Stacks* stacks() const { return stacks_; }

 private:
  std::string lettered(ObjectId id, const ObjectRow* row, Op op);
  std::optional<std::string> member(ObjectId id, const ObjectRow& row);
  std::optional<std::string> count_of_shared_pointer(const Allocation& allocation, const ObjectRow& row);
  // The second object of that name has a number.
  std::string numbered(const std::string& name, const ObjectRow& row);
  std::string pointer(ObjectId target);
  // What the program's own statements call it, where they agree.
  struct UsedName {
    std::string member;      // "lock" of "queue->lock"; empty where the statements name several
    std::string expression;  // "queue->lock"; empty where they differ, or where another object has the same
  };
  const UsedName& used_name(ObjectId id);
  void find_used_names();
  // On what the program's own lines wait where they meet that object of a library; empty where they do not agree.
  std::string receiver(ObjectId id) const;

  const Trace& trace_;
  const Symbols& symbols_;
  const Stacks* stacks_;
  std::unordered_map<ObjectId, const ObjectRow*> rows_;
  std::unordered_map<ThreadId, uint32_t> threads_;
  std::map<ObjectId, std::string> given_;                         // of objects without a variable's name, in the order of use
  size_t letters_ = 0;                                            // that are taken
  std::map<ObjectId, size_t> pointers_;                           // numbers, in the order of use
  std::map<std::string, std::pair<uint64_t, uint64_t>> members_;  // of which allocation: the name means another's if it comes again
  std::optional<std::unordered_map<ObjectId, UsedName>> used_names_;
  mutable std::optional<std::string> only_file_;
  std::vector<std::string> legend_;
};

}  // namespace heddle::report
