#include "cli/plan_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "policy/policies.h"

namespace heddle::cli {

namespace {

constexpr double kWatchdogSeconds = 10;

// The policies that a single run can follow, in the order of their numbers.
std::vector<const policy::PolicyRow*> policies_alone() {
  std::vector<const policy::PolicyRow*> rows;
  std::copy_if(policy::rows_begin_policies, policy::rows_end_policies, std::back_inserter(rows),
               [](const policy::PolicyRow* row) { return row->alone; });
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->kind < b->kind; });
  return rows;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const policy::PolicyRow* row : policies_alone()) names.emplace_back(row->name);
  return names;
}

PolicyKind policy_named(const std::string& name) {
  const auto rows = policies_alone();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto* r) { return name == r->name; });
  return row == rows.end() ? PolicyKind::kStay : (*row)->kind;
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

void PlanOptions::add_base_to(Verb& verb, const char* by_default) {
  add_limits_to(verb);
  add_points_to(verb, by_default);
}

void PlanOptions::add_points_to(Verb& verb, const char* by_default) {
  verb.one_of("--points", points_, {"sync", "atomics", "racy", "all", "functions"},
              fmt::format("which operations are scheduling points [{}]", by_default));
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
  add_base_to(verb, "atomics in a program built with heddle-cc, else sync");
  verb.one_of("--policy", policy_, policy_names(), "who runs next");
  verb.fraction("--stay", stay_, "random: the probability of going on with the same thread");
  verb.number("--depth", depth_, "pct: bug depth");
  verb.number("--length", length_, "pct: expected number of operations");
  verb.number("--quantum", quantum_, "slice: operations that a thread runs before another may");
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
  plan.tail.kind = policy_named(policy_);
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
