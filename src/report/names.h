#pragma once
// Threads, objects and places of a trace in words.
#include <map>
#include <string>
#include <unordered_map>

#include "symbols/symbols.h"
#include "trace/stacks.h"
#include "trace/trace.h"

namespace heddle::report {

// "main", "T2", "T2.1": the path of births without the main thread's 0.
std::string thread_name(const Thread& thread);

class Names {
 public:
  // All must outlive it; `stacks` may be null.
  Names(const Trace& trace, const Symbols& symbols, const Stacks* stacks = nullptr);

  std::string thread(uint32_t index) const;
  // A variable's name where there is one, else what it is and a letter, the same throughout: "mutex A".
  std::string object(ObjectId id, Op op);
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
  // What a thread stands before: "lock mutex A".
  std::string operation(Op op, ObjectId object);
  // Where the objects that have only a letter come from.
  std::vector<std::string> legend() const;

  const Trace& trace() const { return trace_; }
  const Symbols& symbols() const { return symbols_; }
  const Stacks* stacks() const { return stacks_; }

 private:
  std::string lettered(ObjectId id, const ObjectRow* row, Op op);

  const Trace& trace_;
  const Symbols& symbols_;
  const Stacks* stacks_;
  std::unordered_map<ObjectId, const ObjectRow*> rows_;
  std::unordered_map<ThreadId, uint32_t> threads_;
  std::map<ObjectId, std::string> given_;  // letters, in the order of use
  std::vector<std::string> legend_;
};

}  // namespace heddle::report
