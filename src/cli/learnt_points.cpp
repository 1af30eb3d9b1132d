#include "cli/learnt_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "cli/watched.h"
#include "symbols/displace.h"
#include "symbols/machine_code.h"
#include "symbols/symbols.h"
#include "symbols/symbols_names.h"
#include "trace/error.h"
#include "trace/plain_points.h"
#include "trace/project.h"
#include "wire/atomic_sites.h"

namespace heddle::cli {

namespace {

// A program with more atomic instructions than that has points at those that were seen to access what threads share.
constexpr size_t kMostUnseenAtomics = 1024;
constexpr size_t kMostPoints = 4000;  // that a process takes
constexpr double kSlowdown = 20;      // of a run under Valgrind, about
// Executed so often in one run, an instruction of which it is not certain that it races is no point.
constexpr size_t kOften = 256;

std::vector<std::string> paths_of(const Trace& trace) {
  std::vector<std::string> paths;
  for (const Module& m : trace.modules()) paths.push_back(m.path);
  return paths;
}

// Modules have other numbers where the program runs under Valgrind, and a call is known by its last byte: what it returns to is on the stack.
class Renumbering {
 public:
  Renumbering(const Trace& watched, const std::vector<std::string>& paths, CodeModules& code)
      : watched_(watched), paths_(paths), code_(code) {}
  SiteId operator()(SiteId site) const {
    const uint32_t module = site_module(site);
    if (site == kNoSite || module >= watched_.modules().size()) return kNoSite;
    const auto at = std::find(paths_.begin(), paths_.end(), watched_.modules()[module].path);
    if (at == paths_.end()) return kNoSite;
    const auto function = code_.at(*at).function(site_offset(site));
    const auto instruction = function ? function->around(site_offset(site)) : std::nullopt;
    return make_site(static_cast<uint32_t>(at - paths_.begin()),
                     instruction ? function->instructions[*instruction].offset : site_offset(site));
  }

 private:
  const Trace& watched_;
  const std::vector<std::string>& paths_;
  CodeModules& code_;
};

class Learning {
 public:
  Learning(PointKind kind, const Plan& base, const Execute& run) : kind_(kind), base_(base), run_(run) {}

  LearntPoints learnt;
  double native_seconds = 0;  // of one run

  // One run as it is: which modules there are.
  bool look_at_program() {
    const auto begun = std::chrono::steady_clock::now();
    const Trace trace = run_(base_);
    native_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    ++learnt.native;
    learnt.paths = paths_of(trace);
    instrumented_.clear();
    for (const Module& m : trace.modules()) instrumented_.push_back(m.instrumented);
    return trace.threads().size() > 1;
  }

  // Atomic instructions may order all that the runs have shown, because no run has switched between them.
  bool wants_more() const { return kind_ == PointKind::kRacy && racing_.empty() && !atomic_.empty(); }

  void take(const WatchedRaces& watched) {
    learnt.executions += watched.executions;
    if (!watched.last) return;
    const Renumbering here(*watched.last, learnt.paths, code_);
    for (SiteId site : watched.races.log().sites()) racing_.insert(here(site));
    std::set<SiteId> often;
    for (SiteId site : watched.races.log().sites()) often.insert(site);
    if (!learnt.suspected) {
      for (SiteId site : watched.races.log().sites(often)) certain_.insert(here(site));
    }
    for (SiteId marked : watched.races.sites()) atomic_.insert(here(without_atomic_bit(marked)));
    for (SiteId site : watched.atomic) atomic_.insert(here(site));
    for (std::set<SiteId>* set : {&racing_, &certain_, &atomic_}) set->erase(kNoSite);
    for (const Note& n : watched.last->notes()) {
      if (n.text.find("watched") != std::string::npos) learnt.unseen.push_back(n.text);
    }
  }

  void find_atomic_instructions() {
    std::set<SiteId> found;
    for (uint32_t m = 0; m < learnt.paths.size(); ++m) {
      if (learnt.paths[m].find('/') == std::string::npos || is_system_library_path(learnt.paths[m]) || instrumented_[m]) continue;
      for (uint64_t offset : ModuleCode(learnt.paths[m]).atomic_instructions()) found.insert(make_site(m, offset));
    }
    if (found.size() <= kMostUnseenAtomics) {
      atomic_.insert(found.begin(), found.end());
    } else if (atomic_.empty()) {
      learnt.unseen.push_back(
          fmt::format("{} atomic instructions are too many to be points, and no run showed which of them matter", found.size()));
    }
  }

  void choose() {
    put_together();
    drop_what_is_too_frequent();
    Plan plan = base_;
    const std::vector<SiteId> refused = add_accesses(plan, learnt.paths, learnt.sites);
    learnt.sites = plan.sites;
    for (SiteId site : refused) {
      racing_.erase(site);
      atomic_.erase(site);
    }
    name_refused(refused);
    learnt.certain.assign(certain_.begin(), certain_.end());
    learnt.racing = kind_ == PointKind::kRacy ? racing_.size() : 0;
    learnt.atomic = static_cast<size_t>(
        std::count_if(atomic_.begin(), atomic_.end(), [&](SiteId site) { return kind_ != PointKind::kRacy || racing_.count(site) == 0; }));
  }

 private:
  void put_together() {
    learnt.sites.clear();
    for (SiteId site : atomic_) learnt.sites.push_back(plain_atomic_access(site));
    if (kind_ == PointKind::kRacy) {
      for (SiteId site : racing_) {
        if (atomic_.count(site) == 0) learnt.sites.push_back(plain_access(site));
      }
    }
    std::sort(learnt.sites.begin(), learnt.sites.end());
    if (learnt.sites.size() <= kMostPoints) return;
    learnt.unseen.push_back(
        fmt::format("{} instructions are too many: {} of them are no points", learnt.sites.size(), learnt.sites.size() - kMostPoints));
    learnt.sites.resize(kMostPoints);
  }

  // Data that is handed on under a lock, and only suspected to race, would be nothing but points.
  void drop_what_is_too_frequent() {
    if (kind_ != PointKind::kRacy || racing_.size() == certain_.size()) return;
    Plan plan = base_;
    add_accesses(plan, learnt.paths, learnt.sites);
    const Trace trace = run_(plan);
    ++learnt.native;
    std::map<SiteId, size_t> executed;
    for (const Event& e : trace.events()) {
      if (is_memory(e.op)) ++executed[e.site];
    }
    const size_t before = racing_.size();
    std::erase_if(racing_, [&](SiteId site) {
      const auto at = executed.find(site);
      return certain_.count(site) == 0 && at != executed.end() && at->second >= kOften;
    });
    if (racing_.size() != before) put_together();
  }

  void name_refused(const std::vector<SiteId>& refused) {
    if (refused.empty()) return;
    constexpr size_t kMostNamed = 3;
    const Symbols symbols(learnt.paths);
    std::string list;
    for (size_t i = 0; i < std::min(refused.size(), kMostNamed); ++i)
      list += fmt::format("{}{}", i == 0 ? "" : ", ", symbols.describe(site_module(refused[i]), site_offset(refused[i])));
    learnt.unseen.push_back(fmt::format("{} instruction{} that would be points cannot be moved: {}{}", refused.size(),
                                        refused.size() == 1 ? "" : "s", list, refused.size() > kMostNamed ? "..." : ""));
  }

  PointKind kind_;
  const Plan& base_;
  const Execute& run_;
  std::vector<bool> instrumented_;
  CodeModules code_;
  std::set<SiteId> racing_, certain_, atomic_;
};

// What it has shown until its time was over counts.
WatchedRaces watch_runs(const Target& target, const RunnerOptions& options, const ValgrindTool& tool, const Plan& base, uint64_t seed,
                        const LearnLimits& limits, std::string* why_not) {
  const SharedRegions regions;
  Deadline deadline;
  const Deadline::Scope scope(deadline, limits.seconds);
  RunnerOptions mine = options;
  mine.snapshots.enabled = mine.reuse = false;
  mine.deadline = &deadline;
  mine.core = -1;
  WatchedRaces watched;
  Runner runner(under_valgrind(target, tool, {"--regions=" + regions.path()}), mine);
  const Execute run = [&](const Plan& plan) {
    Trace trace = runner.run(plan).trace;
    if (trace.outcome().kind == OutcomeKind::kCannotControl) *why_not = trace.outcome().message;
    return trace;
  };
  watched = profile_watched(base, seed, {limits.schedules, limits.without_news}, run, regions,
                            [&](const Trace&) { return why_not->empty() && (options.stop == nullptr || !options.stop->load()); });
  if (watched.cut) *why_not = "the time for it was over";
  return watched;
}

}  // namespace

LearntPoints learn_points(const Target& target, const RunnerOptions& options, PointKind kind, const Plan& base, uint64_t seed,
                          const LearnLimits& limits, const Execute& run) {
  const auto begun = std::chrono::steady_clock::now();
  Learning learning(kind, base, run);
  if (learning.look_at_program()) {
    const ValgrindTool tool = find_valgrind_tool();
    if (!tool.present()) {
      learning.learnt.why_not = tool.missing;
    } else if (target.script) {
      learning.learnt.why_not = "a script is not watched";
    } else if (limits.seconds > 0 && learning.native_seconds * kSlowdown > limits.seconds) {
      learning.learnt.why_not = fmt::format("a run takes too long to be watched in {:.0f} s", limits.seconds);
    } else {
      learning.take(watch_runs(target, options, tool, base, seed, limits, &learning.learnt.why_not));
      if (learning.wants_more() && learning.learnt.why_not.empty()) {
        Plan unordered = base;
        unordered.detect |= kAtomicsOrderNothing;
        learning.learnt.suspected = true;
        learning.take(watch_runs(target, options, tool, unordered, seed, limits, &learning.learnt.why_not));
      }
    }
    learning.find_atomic_instructions();
    learning.choose();
  }
  learning.learnt.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return std::move(learning.learnt);
}

std::string words_about(const LearntPoints& learnt) {
  const std::string runs = learnt.executions == 0 ? std::string("not watched")
                                                  : fmt::format("learnt in {} run{} under Valgrind, {:.1f} s", learnt.executions,
                                                                learnt.executions == 1 ? "" : "s", learnt.seconds);
  return fmt::format("{} {} and {} atomic instructions of the program are scheduling points ({}{}{})", learnt.racing,
                     learnt.suspected ? "possibly racing" : "racing", learnt.atomic, runs, learnt.why_not.empty() ? "" : "; ",
                     learnt.why_not);
}

}  // namespace heddle::cli
