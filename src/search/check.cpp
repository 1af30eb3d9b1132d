#include "search/check.h"

#include <fmt/format.h>

#include "trace/sight.h"

namespace heddle::search {

CheckResult check(const SearchOptions& options, Executor& executor, const CheckOptions& check_options) {
  Bounded search(options, check_options.bound, check_options.reduction);
  CheckResult result;
  FindOptions find_options = check_options.find;
  find_options.fails = [fails = check_options.find.fails](const Trace& trace) { return !ends_far_too_early(trace) && fails(trace); };
  result.found = find(search, executor, find_options);
  const Bounded::Account& account = search.account();
  Certificate& c = result.certificate;
  c.points = options.base.points;
  c.points_id = options.base.points_id;
  c.sites = account.sites;
  c.bound = check_options.bound;
  c.schedules = account.schedules;
  c.pruned = account.pruned;
  c.infeasible = account.infeasible + account.outside;
  c.timeouts = options.early_timeouts;
  c.complete = account.complete;
  c.reduced = account.reduced;
  c.unfair = account.unfair > 0;
  if (account.reduced) c.unseen = account.unseen;
  c.exhausted = account.exhausted && result.found.exhausted;
  auto add = [&](const std::string& reason) { c.open += (c.open.empty() ? "" : "; ") + reason; };
  if (!options.preempt_at.empty()) add("preemptions were tried at chosen places only");
  if (account.unexpected > 0) add(fmt::format("{} runs did not follow their plan", account.unexpected));
  if (account.schedules == 0) add("no run ended");
  const uint64_t cut = result.found.inconclusive - account.unexpected - account.infeasible;
  if (cut > 0) add(fmt::format("{} runs were inconclusive", cut));
  if (account.others) add(kOthersAct);
  if (account.other_choices > 0) add("choices other than which waiter a signal wakes were not enumerated");
  return result;
}

}  // namespace heddle::search
