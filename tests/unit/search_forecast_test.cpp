// What is said of a run beforehand is what it turns out to be; and what is known is not run again.
#include <set>

#include <gtest/gtest.h>

#include "search/find.h"
#include "search/forecast.h"
#include "search/make.h"
#include "search/profile.h"
#include "toy/kernels.h"
#include "trace/happens_before.h"

namespace heddle::test {
namespace {

constexpr PolicyKind kPolicies[] = {PolicyKind::kRandom, PolicyKind::kPct,  PolicyKind::kPos,
                                    PolicyKind::kSurw,   PolicyKind::kRace, PolicyKind::kFifo};

Plan sample(const toy::Program& program, PolicyKind kind, uint64_t seed) {
  Plan plan;
  plan.tail.kind = kind;
  plan.tail.seed = mix(91, seed);
  plan.tail.stay = seed % 2 == 0 ? 0 : 0x8000;
  plan.tail.depth = 3;
  plan.tail.length = 20;
  plan.tail.quantum = 1 + seed % 3;
  Profile profile;
  profile.add(program.run({}));
  plan.marks.assign(profile.objects().begin(), profile.objects().end());
  if (kind == PolicyKind::kSurw) plan.weights = profile.weights(plan.marks);
  return plan;
}

std::vector<toy::Kernel> programs() {
  std::vector<toy::Kernel> all = toy::correct_kernels();
  all.push_back({"lost_update", toy::lost_update()});
  all.push_back({"double_fetch", toy::double_fetch()});
  all.push_back({"shared_writers", toy::shared_writers(3, 2)});
  all.push_back({"reorder", toy::reorder(3)});
  return all;
}

TEST(Forecast, ARunIsWhatWasSaidOfIt) {
  size_t given = 0;
  std::set<std::string> foreseen;
  for (const toy::Kernel& kernel : programs()) {
    Forecast forecast;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      const PolicyKind kind = kPolicies[seed % std::size(kPolicies)];
      const Plan plan = sample(kernel.program, kind, seed);
      const auto told = forecast.order(plan);
      const Trace trace = kernel.program.run(plan);
      if (told) {
        ++given;
        foreseen.insert(kernel.name);
        EXPECT_EQ(*told, order_hash(trace)) << kernel.name << ", policy " << static_cast<uint32_t>(kind) << ", seed " << seed;
      }
      forecast.learn(trace, nullptr);
    }
  }
  // Not of programs that wait for time to pass or for semaphores.
  EXPECT_GT(given, 1000u);
  EXPECT_GE(foreseen.size(), 6u);
}

TEST(Forecast, NothingIsSaidOfWhatWasNeverSeen) {
  Forecast forecast;
  const toy::Program program = toy::lost_update();
  EXPECT_FALSE(forecast.order({}));
  const Trace sequential = program.run({});
  forecast.learn(sequential, nullptr);
  EXPECT_EQ(forecast.order({}), std::optional<uint64_t>(order_hash(sequential)));
  size_t unknown = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) unknown += forecast.order(sample(program, PolicyKind::kRandom, seed)) ? 0 : 1;
  EXPECT_GT(unknown, 10u);
}

TEST(Forecast, IsTrustedOnlyWhereItWasRight) {
  const toy::Program program = toy::shared_writers(2, 3);
  const Plan plan = sample(program, PolicyKind::kRandom, 1);
  Plan other = plan;
  while (order_hash(program.run(other)) == order_hash(program.run(plan))) ++other.tail.seed;
  Forecast right;
  EXPECT_FALSE(right.trusted());
  EXPECT_FALSE(right.knows(plan));
  right.learn(program.run(plan), &plan);
  EXPECT_TRUE(right.trusted());
  EXPECT_TRUE(right.knows(plan));
  // A program that does not do what the plan says: the run was another.
  right.learn(program.run(other), nullptr);
  right.learn(program.run(other), &plan);
  EXPECT_FALSE(right.trusted());
  EXPECT_FALSE(right.knows(plan));
}

TEST(Forecast, WhatWasBegunIsNotBegunAgainBeforeItIsLearnt) {
  const toy::Program program = toy::shared_writers(2, 3);
  const Plan sequential;
  Forecast forecast;
  forecast.begin(sequential);
  forecast.learn(program.run(sequential), &sequential);
  ASSERT_TRUE(forecast.trusted());
  Plan plan = sample(program, PolicyKind::kRandom, 1);
  while (forecast.order(plan)) ++plan.tail.seed;
  EXPECT_FALSE(forecast.knows(plan));
  forecast.begin(plan);
  EXPECT_TRUE(forecast.knows(plan));
  // It was never made, another was: then its place is as new as before.
  forecast.learn(program.run(sequential), nullptr);
  EXPECT_FALSE(forecast.knows(plan));
}

// Work is counted in events, not in time.
TEST(Forecast, CostsNoMoreThanItMay) {
  const toy::Program program = toy::shared_writers(2, 3);
  const Plan plan = sample(program, PolicyKind::kRandom, 1);
  const Trace trace = program.run(plan);
  for (const bool exact : {false, true}) {
    Forecast forecast(exact);
    forecast.learn(trace, &plan);
    size_t known = 0;
    while (known <= 250'000 && forecast.knows(plan)) ++known;
    EXPECT_NEAR(static_cast<double>(known), 250'000.0 / static_cast<double>(trace.events().size()), 2.0);
    EXPECT_FALSE(forecast.knows(plan));
    // Where it is exact, each run pays for another one.
    forecast.learn(trace, nullptr);
    EXPECT_EQ(forecast.knows(plan), exact);
    EXPECT_EQ(forecast.trusted(), exact);
  }
}

// Six stores by two threads: 20 partial orders. Drawn with putting back, the last of them would take 72 runs in the mean.
TEST(Forecast, TheDefaultMeetsEveryPartialOrderWithoutRunningTheKnownOnes) {
  const toy::Program program = toy::shared_writers(2, 3);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SearchOptions options;
    options.seed = seed;
    options.base.points = PointKind::kRacy;
    const auto search = search_named("portfolio")->make(options);
    std::set<uint64_t> orders;
    size_t runs = 0;
    for (; runs < 200 && orders.size() < 20; ++runs) {
      const std::optional<Plan> plan = search->propose();
      ASSERT_TRUE(plan);
      const Trace trace = program.run(*plan);
      orders.insert(order_hash(trace));
      search->observe(runs, trace);
    }
    EXPECT_EQ(orders.size(), 20u);
    EXPECT_LE(runs, 36u) << "seed " << seed;
  }
}

}  // namespace
}  // namespace heddle::test
