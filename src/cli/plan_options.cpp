#include "cli/plan_options.h"

#include <map>

namespace heddle::cli {

namespace {

constexpr double kWatchdogSeconds = 10;

const std::map<std::string, PolicyKind>& policy_names() {
  static const std::map<std::string, PolicyKind> names = {
      {"stay", PolicyKind::kStay}, {"random", PolicyKind::kRandom},   {"pct", PolicyKind::kPct},
      {"pos", PolicyKind::kPos},   {"slice", PolicyKind::kTimeSlice},
  };
  return names;
}

const std::map<std::string, PointKind>& point_names() {
  static const std::map<std::string, PointKind> names = {{"sync", PointKind::kSync},
                                                         {"atomics", PointKind::kAtomics},
                                                         {"racy", PointKind::kRacy},
                                                         {"all", PointKind::kAll},
                                                         {"functions", PointKind::kFunctions}};
  return names;
}

}  // namespace

PointKind points_named(const std::string& name) { return point_names().at(name); }

const char* points_name(PointKind points) {
  for (const auto& [name, kind] : point_names()) {
    if (kind == points) return name.c_str();
  }
  return "";
}

void PlanOptions::add_base_to(Verb& verb) {
  add_limits_to(verb);
  add_points_to(verb);
}

void PlanOptions::add_points_to(Verb& verb) {
  verb.one_of(
      "--points", points_, {"sync", "atomics", "racy", "all", "functions"},
      "which operations are scheduling points; a program built with heddle-cc: racy; others: sync, and racy where that finds nothing");
}

void PlanOptions::add_limits_to(Verb& verb) {
  verb.number("--seed", seed_, "random seed");
  add_environment_to(verb);
}

void PlanOptions::add_environment_to(Verb& verb) {
  verb.number("--env-seed", env_seed_, "random numbers, clock and pid that the program sees");
  verb.number("--max-events", max_events_, "end a run after this many operations");
  verb.seconds("--watchdog", watchdog_, "end a run after this many seconds without a scheduling point [10]");
}

void PlanOptions::add_to(Verb& verb) {
  add_base_to(verb);
  verb.one_of("--policy", policy_, {"stay", "random", "pct", "pos", "slice"}, "who runs next");
  verb.fraction("--stay", stay_, "random: the probability of going on with the same thread");
  verb.number("--depth", depth_, "pct: bug depth");
  verb.number("--length", length_, "pct: expected number of operations");
  verb.number("--quantum", quantum_, "slice: operations a thread runs on");
  verb.only_with("--stay", "--policy", policy_, {"random"});
  verb.only_with("--depth", "--policy", policy_, {"pct"});
  verb.only_with("--length", "--policy", policy_, {"pct"});
  verb.only_with("--quantum", "--policy", policy_, {"slice"});
}

std::optional<PointKind> PlanOptions::points() const { return points_.empty() ? std::nullopt : std::optional(points_named(points_)); }

Plan PlanOptions::plan() const {
  Plan plan;
  plan.points = points().value_or(PointKind::kSync);
  plan.env_seed = env_seed_;
  plan.tail.kind = policy_names().at(policy_);
  plan.tail.seed = seed_;
  plan.tail.depth = depth_;
  plan.tail.length = length_;
  plan.tail.quantum = quantum_;
  plan.tail.stay = static_cast<uint32_t>(stay_ * 65536);
  if (max_events_) plan.limits.events = *max_events_;
  plan.limits.watchdog_ms = static_cast<uint64_t>(watchdog_.value_or(kWatchdogSeconds) * 1000);
  return plan;
}

}  // namespace heddle::cli
