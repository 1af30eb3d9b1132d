// The driver: budgets, windows, order of observations, distinct failures, independence of the number of workers.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "effort.h"
#include "search/find.h"
#include "toy/kernels.h"
#include "trace/happens_before.h"
#include "trace/patience.h"

namespace heddle::test {
namespace {

// Executes whatever is outstanding in an order of its own, as several workers would; results still come back in order of submission.
class ScrambledExecutor final : public Executor {
 public:
  ScrambledExecutor(toy::Program program, uint64_t seed) : program_(std::move(program)), seed_(seed) {}
  void submit(const Plan& plan) override { slots_.push_back({plan, {}}); }
  Trace next() override {
    while (!slots_.front().second) {
      const size_t pick = mix(seed_, step_++) % slots_.size();
      if (!slots_[pick].second) slots_[pick].second = program_.run(slots_[pick].first);
    }
    Trace trace = *slots_.front().second;
    slots_.pop_front();
    return trace;
  }
  size_t outstanding() const override { return slots_.size(); }

 private:
  toy::Program program_;
  uint64_t seed_;
  uint64_t step_ = 0;
  std::deque<std::pair<Plan, std::optional<Trace>>> slots_;
};

DirectExecutor direct(const toy::Program& program) {
  return DirectExecutor([program](const Plan& plan) { return program.run(plan); });
}

class Script final : public Search {
 public:
  explicit Script(size_t plans) : plans_(plans) {}
  std::optional<Plan> propose() override {
    if (proposed == plans_) return std::nullopt;
    ++proposed;
    most_ahead = std::max(most_ahead, proposed - observed.size());
    return Plan{};
  }
  void observe(size_t index, const Trace&) override { observed.push_back(index); }
  size_t proposed = 0, most_ahead = 0;
  std::vector<size_t> observed;

 private:
  size_t plans_;
};

TEST(Find, ObservesInOrderWithinTheWindowUntilTheSearchIsExhausted) {
  DirectExecutor executor = direct(toy::safe_counter(2));
  Script search(100);
  FindOptions options;
  options.window = 7;
  const FindResult result = find(search, executor, options);
  EXPECT_TRUE(result.exhausted);
  EXPECT_FALSE(result.found());
  EXPECT_EQ(result.executions, 100u);
  EXPECT_EQ(search.most_ahead, 7u);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(search.observed[i], i);
  EXPECT_EQ(result.last.schedules, 1u);
}

TEST(Find, KeepsToTheBudgetOfExecutionsAndHeedsTheStopFlag) {
  DirectExecutor executor = direct(toy::safe_counter(2));
  Script search(1000);
  FindOptions options;
  options.executions = 13;
  FindResult result = find(search, executor, options);
  EXPECT_EQ(result.executions, 13u);
  EXPECT_FALSE(result.exhausted);

  std::atomic<bool> stop{false};
  Script again(1000);
  options.executions = 1000;
  options.stop = &stop;
  options.progress = [&](const FindProgress& p) { stop = p.executions == 5; };
  result = find(again, executor, options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.executions, 5u);
}

TEST(Find, TheLowestFailingIndexWinsWhateverTheOrderOfCompletion) {
  for (const SearchRow& row : searches()) {
    for (const toy::Kernel& kernel : toy::buggy_kernels()) {
      SearchOptions search_options;
      search_options.seed = 11;
      FindOptions options;
      options.executions = 60;
      DirectExecutor one = direct(kernel.program);
      const auto first = row.make(search_options);
      const FindResult expected = find(*first, one, options);
      for (uint64_t seed = 1; seed <= repetitions(2); ++seed) {
        ScrambledExecutor many(kernel.program, seed);
        const auto second = row.make(search_options);
        const FindResult actual = find(*second, many, options);
        ASSERT_EQ(actual.executions, expected.executions) << row.name << " on " << kernel.name;
        ASSERT_EQ(actual.failures.size(), expected.failures.size());
        if (actual.found()) {
          EXPECT_EQ(first_difference(actual.failures[0].trace, expected.failures[0].trace), kNoDifference);
        }
      }
    }
  }
}

TEST(Find, KeepsDifferentFailuresApartAndCountsThem) {
  // Two assertions, each reached by one of the two orders of a race.
  toy::Program program = toy::threads({{toy::write(1,
                                                   [](toy::Run& r) {
                                                     if (r.vars[2] == 0) r.fail("first came first");
                                                     r.vars[1] = 1;
                                                   })},
                                       {toy::write(2, [](toy::Run& r) {
                                         if (r.vars[1] == 0) r.fail("second came first");
                                         r.vars[2] = 1;
                                       })}});
  DirectExecutor executor = direct(program);
  const auto search = search_named("random")->make({});
  FindOptions options;
  options.keep_going = true;
  options.executions = 50;
  const FindResult result = find(*search, executor, options);
  ASSERT_EQ(result.failures.size(), 2u);
  EXPECT_EQ(result.failures[0].count + result.failures[1].count, 50u);
  EXPECT_LT(result.failures[0].index, result.failures[1].index);
  EXPECT_EQ(result.executions, 50u);
}

TEST(Find, AFailureThatIsNotBelievedDoesNotEndTheSearch) {
  toy::Program program = toy::threads({{toy::write(1, [](toy::Run& r) { r.fail("always"); })}});
  DirectExecutor executor = direct(program);
  Script search(20);
  FindOptions options;
  size_t asked = 0;
  options.believe = [&](FoundFailure& failure) {
    EXPECT_EQ(failure.index, asked);
    ++asked;
    return false;
  };
  const FindResult result = find(search, executor, options);
  EXPECT_FALSE(result.found());
  EXPECT_EQ(result.executions, 20u);
  EXPECT_EQ(result.refused, 20u);
  EXPECT_EQ(asked, 3u) << "a few times for each distinct failure";
}

// An analysis that would never end.
class Ponders final : public Search {
 public:
  std::optional<Plan> propose() override { return Plan{}; }
  void observe(size_t, const Trace&) override {
    for (;;) think();
  }
};

TEST(Find, AnAnalysisEndsWhenTheTimeIsOver) {
  DirectExecutor executor = direct(toy::safe_counter(2));
  Ponders search;
  FindOptions options;
  options.seconds = 0.01;
  const FindResult result = find(search, executor, options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.executions, 1u);
}

TEST(Find, TheEstimateOfUnseenBehaviourFallsToNothingWhenAllHasBeenSeenTwice) {
  DirectExecutor executor = direct(toy::shared_writers(2, 1));
  const auto search = search_named("random")->make({});
  FindOptions options;
  options.executions = 100;
  const FindResult result = find(*search, executor, options);
  EXPECT_EQ(result.last.schedules, 2u) << "two writers of one variable have two orders";
  EXPECT_EQ(result.unseen, 0.0);
}

TEST(Find, TheWindowGrowsWithTheIndexAlone) {
  EXPECT_EQ(window_at(0), 1u);
  EXPECT_EQ(window_at(31), 1u);
  EXPECT_EQ(window_at(10'000), kMaxWindow);
  for (uint64_t i = 0; i < 5000; ++i) EXPECT_LE(window_at(i), window_at(i + 1));
}

}  // namespace
}  // namespace heddle::test
