#pragma once
// Threads, objects and places of a trace in words.
#include <map>
#include <string>
#include <unordered_map>

#include "trace/symbols.h"
#include "trace/trace.h"

namespace heddle {

// "main", "T2", "T2.1": the path of births without the main thread's 0.
std::string thread_name(const Thread& thread);

class Names {
 public:
  // Both must outlive it.
  Names(const Trace& trace, const Symbols& symbols);

  std::string thread(uint32_t index) const;
  // A variable's name where there is one, else what it is and a letter, the same throughout: "mutex A".
  std::string object(ObjectId id, Op op);
  // "bank.cpp:12"
  std::string place(SiteId site) const;
  // "  bank.cpp:12", or nothing where the code is the system's.
  std::string own_place(SiteId site) const;
  // The first frame of the program's own code, or the innermost.
  std::string place(const std::vector<SiteId>& stack) const;
  // That frame's site, or kNoSite where none is the program's own.
  SiteId own_site(const std::vector<SiteId>& stack) const;
  // All such frames, innermost first.
  std::vector<SiteId> own_sites(const std::vector<SiteId>& stack) const;
  std::optional<Frame> frame(SiteId site) const;
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

 private:
  std::string lettered(ObjectId id, const ObjectRow* row, Op op);

  const Trace& trace_;
  const Symbols& symbols_;
  std::unordered_map<ObjectId, const ObjectRow*> rows_;
  std::unordered_map<ThreadId, uint32_t> threads_;
  std::map<ObjectId, std::string> given_;  // letters, in the order of use
  std::vector<std::string> legend_;
};

}  // namespace heddle
