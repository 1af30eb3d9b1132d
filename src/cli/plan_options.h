#pragma once
#include <optional>
#include <string>

#include "cli/verb.h"
#include "trace/plan.h"

namespace heddle::cli {

// The options that shape a single plan: `run` and the base of every campaign.
class PlanOptions {
 public:
  void add_to(Verb& verb);  // with --policy and its parameters
  // Point set and limits only. `by_default`: which points the verb takes when nobody says.
  void add_base_to(Verb& verb, const char* by_default);
  void add_points_to(Verb& verb, const char* by_default);
  void add_limits_to(Verb& verb);
  void add_environment_to(Verb& verb);      // without what concerns a search
  std::optional<PointKind> points() const;  // nothing: as the program allows
  Plan plan() const;
  bool events_given() const { return max_events_.has_value(); }
  bool watchdog_given() const { return watchdog_.has_value(); }
  uint64_t seed() const { return seed_; }
  void set_seed(uint64_t seed) { seed_ = seed; }
  void set_watchdog(double seconds) { watchdog_ = seconds; }
  void set_env_seed(uint64_t seed) { env_seed_ = seed; }

 private:
  std::string policy_ = "stay";
  std::string points_;
  uint64_t seed_ = 1;
  uint64_t env_seed_ = 1;
  uint32_t depth_ = 3;
  uint64_t length_ = 1000;
  uint64_t quantum_ = 50;
  double stay_ = 0;
  std::optional<uint64_t> max_events_;
  std::optional<double> watchdog_;
};

// What --help says of the default of --points.
inline constexpr const char* kRacyIfInstrumented = "racy in a program built with heddle-cc, else sync";
inline constexpr const char* kRacyWhereSeen = "racy in a program built with heddle-cc or where Valgrind is there, else sync";

PointKind points_named(const std::string& name);
const char* points_name(PointKind points);

}  // namespace heddle::cli
