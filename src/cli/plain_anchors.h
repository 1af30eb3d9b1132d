#pragma once
// Bugs at instructions of programs that announce nothing (docs/decisions/0031): their places in another build, and their code where no file has it.
#include <string>
#include <vector>

#include "cli/campaign.h"
#include "trace/reanchor.h"

namespace heddle::cli {

enum class AccessesLike : uint8_t {
  kScheduled,  // the accesses that the schedule has
  kGuarded,    // those that may have run under a lock: what its functions access, and the statements that did
};

// Instructions of the new build that access memory where the accesses of the schedule may be now: in a function of the same name, or at a statement
// like one of theirs. Marked (wire/code_point.h). `run`: any run of the new build.
std::vector<SiteId> accesses_like(const Anchors& anchors, const PlacedTrace& run, AccessesLike like = AccessesLike::kScheduled);

// Adds what the accesses of the schedule became in that run to `sites`, marked.
void add_matched(const Anchors& anchors, const Reanchoring& matching, const PlacedTrace& run, std::vector<SiteId>* sites);

// The same trace of a program that lies at another path by now: its code is read from there.
Trace moved_to(const Trace& trace, const std::string& from, const std::string& to);

// A plan from a string has sites and no code: made anew from the modules of a run.
void put_in_code(Campaign& campaign, Plan& plan);

}  // namespace heddle::cli
