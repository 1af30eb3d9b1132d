#pragma once
// The steps between a failure that was found and a bug that is saved: simplify and believe, save.
#include <optional>
#include <string>

#include "cli/campaign.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "simplify/simplify.h"

namespace heddle::cli {

struct Simplified {
  SimplifyResult result;
  std::optional<Trace> passing;  // of all passing runs, the one that shares the longest beginning with the best
  size_t refuted = 0;            // simpler traces that did not replay: the best is the simplest that did
  std::string fallback;          // the same in words; empty if there were none
};
struct SimplifyChoice {
  std::string algorithm = "default";
  uint64_t executions = 0;
  double seconds = 60;
  size_t certificate = SimplifyOptions().certificate_executions;
  bool race_free = false;
  size_t suffix = 0;  // intervals at the end that alone are worked on; 0 = all
  // The verb `simplify` has options of its own for the runs and seconds.
  void add_to(Verb& verb, bool own_limits = false);
};
// `failing` is the bug; the work begins with `start` where an earlier call was cut short.
Simplified simplify_failure(Campaign& campaign, const Trace& failing, const SimplifyChoice& choice, Progress& progress,
                            const Trace* start = nullptr);

Json json_simplify(const Simplified& simplified);

// Notes about how runs were made, on stderr.
void print_notes(const Campaign& campaign, const Trace* trace);

// A result that cannot be saved is still shown, and the exit code says that it was not saved.
class Saving {
 public:
  void attempt(const std::function<void()>& save);
  bool saved() const { return !failed_; }
  int exit_code(ExitCode otherwise) const { return exit_value(failed_ ? ExitCode::kCannotTest : otherwise); }

 private:
  bool failed_ = false;
};

void save_simplified(Bug& bug, Campaign& campaign, const Simplified& simplified);

std::vector<std::string> module_paths(const Trace& trace);

}  // namespace heddle::cli
