#include "cli/watched_build.h"

#include <algorithm>
#include <set>

#include "symbols/symbols_names.h"

namespace heddle::cli {

namespace {

// A quarter of the time that is given goes to learning.
CampaignOptions with_time(CampaignOptions options, double seconds) {
  if (seconds > 0) {
    options.seconds = seconds * 4;
  } else {
    options.executions = 1;
  }
  return options;
}

std::set<std::string> racing_functions(const LearntPoints& learnt) {
  std::set<std::string> functions;
  const Symbols symbols(learnt.paths);
  for (SiteId site : learnt.certain) {
    const auto frame = symbols.user_frame(site_module(site), site_offset(site));
    functions.insert(frame ? pretty_function(frame->function) : symbols.describe(site_module(site), site_offset(site)));
  }
  return functions;
}

// Of the build of the bug; nothing where it cannot be run.
std::set<std::string> races_before(const VerifySubject& subject, const CampaignOptions& options) {
  const OldBuild old(subject);
  if (!old.target()) return {};
  try {
    Campaign before(*old.target(), options, subject.predicates, subject.input);
    return racing_functions(before.learn(PointKind::kRacy, options));
  } catch (const Error& error) {
    // It may need libraries that are not there any more.
    if (error.exit_code() == ExitCode::kInterrupted) throw;
  }
  return {};
}

}  // namespace

WatchedBuild watch_build(Campaign& campaign, const VerifySubject& subject, const CampaignOptions& options, double seconds) {
  WatchedBuild build;
  if (!campaign.may_learn(options)) {
    build.why_not = find_valgrind_tool().missing;
    return build;
  }
  const CampaignOptions limited = with_time(options, seconds);
  build.points = points_of(campaign.learn(PointKind::kRacy, limited), PointKind::kRacy);
  const LearntPoints& learnt = *build.points.learnt;
  build.executions = learnt.executions;
  build.why_not = learnt.why_not;
  build.watched = learnt.executions > 0;
  build.racing = learnt.certain.size();
  if (learnt.certain.empty()) return build;
  const std::set<std::string> now = racing_functions(learnt), then = races_before(subject, limited);
  std::set_difference(now.begin(), now.end(), then.begin(), then.end(), std::back_inserter(build.new_races));
  return build;
}

}  // namespace heddle::cli
