#include "cli/point_learner.h"

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
constexpr double kAffordable = 2;     // seconds of a run that is watched in any case: on a busy machine the start of a process takes one
// Accesses that no watched run came to, at most: a function that synchronises by itself is a short one.
constexpr size_t kMostUnwatched = 256;
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

struct Step {
  size_t schedules, without_news;
};
// The first is one quick look. The second looks at the same schedule again, with what that has taught.
constexpr Step kSteps[] = {{1, 1}, {4, 2}, {6, 3}, {8, 4}, {8, 8}};
// Most bugs need no more points than those that were seen.
constexpr size_t kStepsOfWatchedAlone = 1;

}  // namespace

// One process under Valgrind makes all runs.
class PointLearner::Watch {
 public:
  Watch(const Target& target, RunnerOptions options, const ValgrindTool& tool, const Plan& base, uint64_t seed)
      : races_(base, seed, regions_) {
    options.snapshots.enabled = options.reuse = false;
    options.deadline = &deadline_;
    options.core = -1;
    stop_ = options.stop;
    runner_ = std::make_unique<Runner>(under_valgrind(target, tool, {"--regions=" + regions_.path()}), options);
  }

  void look(const Step& step, double seconds, bool quick) {
    const Deadline::Scope scope(deadline_, seconds);
    const Execute run = [&](const Plan& plan) {
      Trace trace = runner_->run(plan).trace;
      if (trace.outcome().kind == OutcomeKind::kCannotControl) why_not_ = trace.outcome().message;
      return trace;
    };
    size_t nothing_new = 0;
    for (size_t i = 0; i < step.schedules && nothing_new < step.without_news && why_not_.empty(); ++i) {
      if (stop_ != nullptr && stop_->load()) return;
      const size_t before = found().known();
      if (!races_.watch(run, quick ? RaceWatch::Look::kQuick : RaceWatch::Look::kSettled)) {
        why_not_ = "out of time";
        return;
      }
      nothing_new = found().known() == before ? nothing_new + 1 : 0;
    }
  }
  void again() { races_.again(); }

  const WatchedRaces& found() const { return races_.found; }
  const std::string& why_not() const { return why_not_; }

 private:
  SharedRegions regions_;
  Deadline deadline_;
  RaceWatch races_;
  const std::atomic<bool>* stop_ = nullptr;
  std::unique_ptr<Runner> runner_;
  std::string why_not_;
};

class PointLearner::Choice {
 public:
  Choice(PointKind kind, const Plan& base, const Trace& native) : kind_(kind), base_(base), paths_(paths_of(native)) {
    for (const Module& m : native.modules()) instrumented_.push_back(m.instrumented);
  }
  const std::vector<std::string>& paths() const { return paths_; }
  // Atomic instructions may order all that the runs have shown, because no run has switched between them.
  bool is_ordered_by_atomics() const { return kind_ == PointKind::kRacy && racing_.empty() && !atomic_.empty(); }

  void forget() {
    for (std::set<SiteId>* set : {&racing_, &certain_, &atomic_, &unwatched_}) set->clear();
    unseen_.clear();
  }

  void take(const WatchedRaces& watched, bool certain) {
    if (!watched.last) return;
    const Renumbering here(*watched.last, paths_, code_);
    const std::vector<SiteId> logged = watched.races.log().sites();
    for (SiteId site : logged) racing_.insert(here(site));
    for (SiteId site : watched.races.unsettled()) racing_.insert(here(site));
    if (certain) {
      for (SiteId site : watched.races.log().sites({logged.begin(), logged.end()})) certain_.insert(here(site));
    }
    for (SiteId marked : watched.races.sites()) atomic_.insert(here(without_atomic_bit(marked)));
    for (SiteId site : watched.atomic) atomic_.insert(here(site));
    for (std::set<SiteId>* set : {&racing_, &certain_, &atomic_}) set->erase(kNoSite);
    for (const Note& n : watched.last->notes()) {
      if (n.text.find("watched") != std::string::npos) unseen_.push_back(n.text);
    }
  }

  void add_atomic_instructions() {
    if (!decoded_) find_atomic_instructions();
    if (in_code_.size() <= kMostUnseenAtomics) {
      atomic_.insert(in_code_.begin(), in_code_.end());
    } else if (atomic_.empty()) {
      unseen_.push_back(
          fmt::format("{} atomic instructions are too many to be points, and no run showed which of them matter", in_code_.size()));
    }
  }

  // From now on with accesses that no run has shown.
  void widen() { widened_ = true; }
  // Watched runs switch at calls alone: what a program does after an atomic instruction has met another thread's, they never execute. So the
  // accesses of functions with atomic instructions are suspected to race, too.
  void add_unwatched() {
    if (!widened_ || kind_ != PointKind::kRacy) return;
    std::set<uint64_t> functions;
    for (SiteId site : atomic_) {
      const auto function = code_.at(paths_[site_module(site)]).function(site_offset(site));
      if (!function || !functions.insert(make_site(site_module(site), function->begin)).second) continue;
      for (const Instruction& i : function->instructions) {
        const SiteId access = make_site(site_module(site), i.offset);
        if (i.kind != Instruction::Kind::kPlain || !may_be_shared(i)) continue;
        if (racing_.count(access) == 0 && atomic_.count(access) == 0) unwatched_.insert(access);
      }
    }
    if (unwatched_.size() > kMostUnwatched) unwatched_.clear();
  }

  void put_into(LearntPoints& points) {
    for (std::set<SiteId>* set : {&racing_, &unwatched_})
      std::erase_if(*set, [&](SiteId site) { return frequent_.count(site) != 0 && certain_.count(site) == 0; });
    Plan plan = base_;
    const std::vector<SiteId> refused = add_accesses(plan, paths_, put_together());
    points.sites = plan.sites;
    for (SiteId site : refused) {
      racing_.erase(site);
      atomic_.erase(site);
      unwatched_.erase(site);
    }
    name_refused(refused);
    if (!unwatched_.empty())
      unseen_.push_back(
          fmt::format("no watched run could come to all accesses of functions that have atomic instructions: {} of them are points",
                      unwatched_.size()));
    points.unseen = unseen_;
    points.certain.assign(certain_.begin(), certain_.end());
    points.racing = kind_ == PointKind::kRacy ? racing_.size() : 0;
    points.atomic = static_cast<size_t>(
        std::count_if(atomic_.begin(), atomic_.end(), [&](SiteId site) { return kind_ != PointKind::kRacy || racing_.count(site) == 0; }));
  }

  bool find_frequent(const Trace& trace) {
    if (kind_ != PointKind::kRacy || racing_.size() + unwatched_.size() == certain_.size()) return false;
    std::map<SiteId, size_t> executed;
    for (const Event& e : trace.events()) {
      if (is_memory(e.op)) ++executed[e.site];
    }
    const size_t before = frequent_.size();
    for (const auto& [site, times] : executed) {
      const bool suspected = racing_.count(site) + unwatched_.count(site) > 0 && certain_.count(site) + atomic_.count(site) == 0;
      if (times >= kOften && suspected) frequent_.insert(site);
    }
    return frequent_.size() != before;
  }

 private:
  void find_atomic_instructions() {
    decoded_ = true;
    for (uint32_t m = 0; m < paths_.size(); ++m) {
      if (paths_[m].find('/') == std::string::npos || is_system_library_path(paths_[m]) || instrumented_[m]) continue;
      for (uint64_t offset : ModuleCode(paths_[m]).atomic_instructions()) in_code_.insert(make_site(m, offset));
    }
  }

  std::vector<SiteId> put_together() {
    for (std::set<SiteId>* set : {&racing_, &atomic_, &unwatched_})
      std::erase_if(*set, [&](SiteId site) { return code_.at(paths_[site_module(site)]).is_of_sanitizer(site_offset(site)); });
    std::vector<SiteId> sites;
    for (SiteId site : atomic_) sites.push_back(plain_atomic_access(site));
    if (kind_ == PointKind::kRacy) {
      for (SiteId site : racing_) {
        if (atomic_.count(site) == 0) sites.push_back(plain_access(site));
      }
      for (SiteId site : unwatched_) sites.push_back(plain_access(site));
    }
    std::sort(sites.begin(), sites.end());
    if (sites.size() <= kMostPoints) return sites;
    unseen_.push_back(
        fmt::format("{} instructions are too many: {} of them are not used as points", sites.size(), sites.size() - kMostPoints));
    sites.resize(kMostPoints);
    return sites;
  }

  void name_refused(const std::vector<SiteId>& refused) {
    if (refused.empty()) return;
    constexpr size_t kMostNamed = 3;
    const Symbols symbols(paths_);
    std::string list;
    for (size_t i = 0; i < std::min(refused.size(), kMostNamed); ++i)
      list += fmt::format("{}{}", i == 0 ? "" : ", ", symbols.describe(site_module(refused[i]), site_offset(refused[i])));
    unseen_.push_back(fmt::format("{} instruction{} that would be points cannot be moved: {}{}", refused.size(),
                                  refused.size() == 1 ? "" : "s", list, refused.size() > kMostNamed ? "..." : ""));
  }

  PointKind kind_;
  Plan base_;
  std::vector<std::string> paths_;
  std::vector<bool> instrumented_;
  CodeModules code_;
  std::set<SiteId> racing_, certain_, atomic_;
  std::set<SiteId> unwatched_;  // neither
  std::set<SiteId> in_code_;    // atomic by their form
  std::set<SiteId> frequent_;   // left out
  std::vector<std::string> unseen_;
  bool decoded_ = false, widened_ = false;
};

PointLearner::PointLearner(const Target& target, const RunnerOptions& options, PointKind kind, const Plan& base, uint64_t seed,
                           const LearnLimits& limits)
    : kind_(kind), base_(base), limits_(limits) {
  make_ = [target, options, base, seed](uint32_t detect) {
    Plan plan = base;
    plan.detect |= detect;
    return std::make_unique<Watch>(target, options, find_valgrind_tool(), plan, seed);
  };
  const ValgrindTool tool = find_valgrind_tool();
  if (!tool.present()) {
    learnt.why_not = tool.missing;
  } else if (target.script) {
    learnt.why_not = "a script is not watched";
  }
}

PointLearner::~PointLearner() = default;

bool PointLearner::begin(const Trace& native, double seconds) {
  if (native.threads().size() <= 1) return false;
  choice_ = std::make_unique<Choice>(kind_, base_, native);
  learnt.paths = choice_->paths();
  if (learnt.why_not.empty() && limits_.seconds > 0 && seconds > kAffordable && seconds * kSlowdown > limits_.seconds)
    learnt.why_not = fmt::format("a run takes too long to be watched in {:.0f} s", limits_.seconds);
  return true;
}

bool PointLearner::done() const { return !choice_ || (step_ > 0 && !learnt.why_not.empty()) || step_ >= std::size(kSteps); }

void PointLearner::look(std::unique_ptr<Watch>& watch, uint32_t detect, size_t schedules, size_t without_news, bool quick) {
  const double left = limits_.seconds > 0 ? std::max(limits_.seconds - learnt.seconds, 0.001) : 0;
  if (!watch) watch = make_(detect);
  watch->look({schedules, without_news}, left, quick);
  learnt.why_not = watch->why_not();
}

bool PointLearner::step() {
  if (done()) return false;
  const auto begun = std::chrono::steady_clock::now();
  const auto [schedules, without_news] = kSteps[step_];
  if (learnt.why_not.empty()) {
    const bool unordered = step_ == 2 && choice_->is_ordered_by_atomics();
    if (step_ == 1) watch_->again();
    look(unordered ? unordered_ : watch_, unordered ? kAtomicsOrderNothing : 0, schedules, without_news, step_ == 0);
  }
  if (++step_ > kStepsOfWatchedAlone || (step_ > 1 && !learnt.why_not.empty())) choice_->widen();
  learnt.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return choose();
}

void PointLearner::learn_all() {
  const auto begun = std::chrono::steady_clock::now();
  step_ = std::size(kSteps);
  if (learnt.why_not.empty()) look(watch_, 0, limits_.schedules, limits_.without_news, false);
  choose();
  if (learnt.why_not.empty() && choice_->is_ordered_by_atomics()) {
    look(unordered_, kAtomicsOrderNothing, limits_.schedules, limits_.without_news, false);
    choose();
  }
  learnt.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

bool PointLearner::choose() {
  const std::vector<SiteId> before = learnt.sites;
  learnt.suspected = unordered_ != nullptr;
  learnt.executions = 0;
  choice_->forget();
  for (const Watch* watch : {watch_.get(), unordered_.get()}) {
    if (watch == nullptr) continue;
    learnt.executions += watch->found().executions;
    choice_->take(watch->found(), watch == watch_.get());
  }
  choice_->add_atomic_instructions();
  choice_->add_unwatched();
  choice_->put_into(learnt);
  return learnt.sites != before;
}

bool PointLearner::leave_out_frequent(const Trace& trace) { return choice_ && choice_->find_frequent(trace) && choose(); }

}  // namespace heddle::cli
