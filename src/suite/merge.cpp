#include "suite/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/error.h"

namespace heddle::suite {

namespace {

void refuse_stranger(const ShardResult& first, const ShardResult& other) {
  const auto differ = [&](const std::string& what, const auto& a, const auto& b) {
    if (a != b)
      throw Error(fmt::format("{} and {} belong to different campaigns: {} is {} in the one and {} in the other", first.place, other.place,
                              what, a, b),
                  ExitCode::kUsage);
  };
  const SuiteResult &a = first.result, &b = other.result;
  differ("the number of shards", a.shard.count, b.shard.count);
  differ("the seed", a.seed, b.seed);
  differ("the budget of runs", a.executions, b.executions);
  differ("the program", a.subject, b.subject);
  differ("the build", a.build, b.build);
  if (a.shard.index == b.shard.index)
    throw Error(fmt::format("shard {} is given twice: {} and {}", a.shard.text(), first.place, other.place), ExitCode::kUsage);
}

// How much a verdict says: what says more stays.
int weight(TestVerdict verdict) {
  switch (verdict) {
    case TestVerdict::kFailure: return 5;
    case TestVerdict::kFailsAlways: return 4;
    case TestVerdict::kFlaky: return 3;
    case TestVerdict::kPassed: return 2;
    case TestVerdict::kNoThreads: return 1;
    case TestVerdict::kCannotTest: return 0;
  }
  return 0;
}

void join(TestResult& into, const TestResult& other) {
  const uint64_t executions = into.executions + other.executions;
  const double seconds = into.seconds + other.seconds;
  std::vector<std::string> bugs = into.bugs.empty() && !into.bug.empty() ? std::vector{into.bug} : into.bugs;
  for (const std::string& bug : other.bugs.empty() && !other.bug.empty() ? std::vector{other.bug} : other.bugs) {
    if (std::find(bugs.begin(), bugs.end(), bug) == bugs.end()) bugs.push_back(bug);
  }
  // It failed in every run of one shard, and passed in another.
  const bool mixed = (into.verdict == TestVerdict::kFailsAlways && other.verdict == TestVerdict::kPassed) ||
                     (into.verdict == TestVerdict::kPassed && other.verdict == TestVerdict::kFailsAlways);
  const std::string bug = into.bug.empty() ? other.bug : into.bug;
  const uint32_t missed = std::min(into.missed, other.missed);
  if (weight(other.verdict) > weight(into.verdict)) into = other;
  if (mixed) into.verdict = TestVerdict::kFailure;
  into.bug = bug;
  into.missed = missed;
  into.executions = executions;
  into.seconds = seconds;
  into.bugs = bugs.size() > 1 ? bugs : std::vector<std::string>();
}

}  // namespace

Merged merge(std::vector<ShardResult> shards) {
  if (shards.empty()) throw Error("no result of a shard is there", ExitCode::kUsage);
  std::stable_sort(shards.begin(), shards.end(),
                   [](const ShardResult& a, const ShardResult& b) { return a.result.shard.index < b.result.shard.index; });
  for (size_t i = 1; i < shards.size(); ++i) {
    refuse_stranger(shards.front(), shards[i]);
    refuse_stranger(shards[i - 1], shards[i]);
  }
  Merged merged;
  merged.whole = shards.front().result;
  merged.whole.shard = {};
  merged.whole.tests.clear();
  std::map<std::string, size_t> at;
  std::vector<bool> there(shards.front().result.shard.count);
  for (const ShardResult& shard : shards) {
    there[shard.result.shard.index - 1] = true;
    for (const TestResult& test : shard.result.tests) {
      const auto [place, is_new] = at.emplace(test.name, merged.whole.tests.size());
      if (is_new) {
        merged.whole.tests.push_back(test);
      } else {
        join(merged.whole.tests[place->second], test);
      }
    }
  }
  for (uint32_t i = 0; i < there.size(); ++i) {
    if (!there[i]) merged.missing.push_back(i + 1);
  }
  std::sort(merged.whole.tests.begin(), merged.whole.tests.end(), [](const TestResult& a, const TestResult& b) { return a.name < b.name; });
  return merged;
}

}  // namespace heddle::suite
