#pragma once
// Races of a program that is not instrumented, as its instructions show them. A load or store of an atomic variable is often the same
// instruction as that of an ordinary one: which it is, only the source can say.
#include <map>
#include <set>
#include <vector>

#include "symbols/symbols.h"
#include "trace/races.h"

namespace heddle::trace {

enum class Atomicity { kPlain, kAtomic, kUnknown };

class PlainRaces {
 public:
  // What the run shows. Returns whether it has taught which instructions are atomic or may be: then what they order must be looked at in the
  // same run again, with `sites()`. Only what a run shows that teaches nothing, and is `whole`, goes to the log as confirmed: in others an
  // access that orders may not have been seen as one.
  bool add(const Trace& trace, const Symbols& symbols, bool whole);

  // Instructions to be taken for atomic (wire/atomic_sites.h); sorted. A race that is confirmed is one although all of these synchronise.
  std::vector<SiteId> sites() const;
  const RaceLog& log() const { return log_; }
  // Instructions that raced in the last run, if it was not one that could confirm it: what others order may be among them.
  const std::set<SiteId>& unsettled() const { return unsettled_; }
  // Instructions of which neither the source nor the memory that they access says whether they are atomic.
  size_t unknown() const { return unknown_; }

 private:
  Atomicity of(const RaceSide& side, const Symbols& symbols);
  bool is_librarys(const Trace& trace, const RaceRow& row);
  bool learn(SiteId site) { return atomic_.insert(site).second; }

  std::map<SiteId, Atomicity> known_;
  std::set<SiteId> atomic_;
  std::map<uint32_t, std::vector<std::pair<uint64_t, uint64_t>>> copied_;  // of each module: from, to
  std::set<SiteId> unsettled_;
  SourceFiles sources_;
  RaceLog log_;
  size_t unknown_ = 0;
};

}  // namespace heddle::trace
