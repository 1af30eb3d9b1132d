// Isolation of the deciding switch: the worked example of Choi & Zeller 2002 (Figures 2-6) step by step, and the rules of dd.
#include <gtest/gtest.h>

#include "simplify/isolate.h"
#include "simplify_programs.h"
#include "toy/toy.h"
#include "trace/executor.h"

namespace heddle::test {
namespace {

constexpr int kHead = 0, kTail = 1, kLink = 1000;  // link[e] is variable kLink + e

toy::Step at(std::function<void(toy::Run&)> act) { return toy::write(500, std::move(act)); }

// Figure 2, one step a statement, as Figures 3-5 number them. C enqueues "following A": it waits for A's last statement.
toy::Program int_queue() {
  using toy::Run;
  toy::Program p;
  p.together = true;
  auto enqueue = [](int elem, toy::Step call, toy::Step last) {
    last.act = [elem](Run& r) { r.vars[kTail] = elem; };
    return std::vector<toy::Step>{std::move(call),
                                  at([elem](Run& r) { r.vars[kLink + elem] = 0; }),
                                  at([](Run& r) { r.jump(r.vars[kHead] == 0 ? 3 : 4); }),
                                  at([elem](Run& r) {
                                    r.vars[kHead] = elem;
                                    r.jump(5);
                                  }),
                                  at([elem](Run& r) { r.vars[kLink + static_cast<int>(r.vars[kTail])] = elem; }),
                                  std::move(last)};
  };
  std::vector<toy::Step> a = enqueue(11, at([](Run&) {}), toy::sem_post(0));
  std::vector<toy::Step> c = enqueue(95, toy::sem_wait(0), at([](Run&) {}));
  std::vector<toy::Step> b = {at([](Run&) {}),
                              at([](Run& r) { r.reg(0) = r.vars[kHead]; }),
                              at([](Run& r) { r.jump(r.reg(0) == r.vars[kTail] ? 3 : 4); }),
                              at([](Run& r) { r.vars[kTail] = 0; }),
                              at([](Run& r) { r.vars[kHead] = r.vars[kLink + static_cast<int>(r.vars[kHead])]; }),
                              at([](Run&) {}),
                              at([](Run&) {})};
  std::vector<toy::Step> verdict = {toy::join(1), toy::join(2), toy::join(3), toy::read(kHead, [](Run& r) {
                                      if (r.vars[kHead] == 0) r.fail("the queue is empty");
                                      if (r.vars[kHead] != 95 && r.vars[kHead] != 0) r.exit_with(3);
                                    })};
  p.bodies = {verdict, a, b, c};
  return p;
}

Trace under(const toy::Program& p, const Times& times) {
  Plan plan;
  plan.tail.kind = PolicyKind::kFifo;
  plan.steps = times;
  return p.run(plan);
}

TestOutcome stest(const Trace& t) {
  if (t.outcome().kind == OutcomeKind::kAssert) return TestOutcome::kFail;
  return t.outcome().kind == OutcomeKind::kExit && t.outcome().code == 0 ? TestOutcome::kPass : TestOutcome::kUnresolved;
}

const Times kPassing = {6, 12, 17, 17, 17};  // Figure 3, padded
const Times kFailing = {5, 7, 8, 10, 15};    // Figure 4

TEST(ChoiZeller, Figures3To5RunAsPrinted) {
  const toy::Program p = int_queue();
  EXPECT_EQ(stest(under(p, kPassing)), TestOutcome::kPass);
  EXPECT_EQ(stest(under(p, kFailing)), TestOutcome::kFail);
  EXPECT_EQ(stest(under(p, {5, 7, 8, 13, 17})), TestOutcome::kPass);
  const Trace failing = under(p, kFailing);
  const std::vector<uint32_t> threads = {1, 1, 1, 1, 2, 2, 1, 2, 2, 3, 3, 3, 3, 3};  // clock 1 to 14
  for (size_t i = 0; i < threads.size(); ++i) EXPECT_EQ(failing.events()[i].thread, threads[i]) << "clock " << i + 1;
}

TEST(ChoiZeller, Figure6NeedsFourTestsFor24Deltas) {
  const toy::Program p = int_queue();
  std::vector<std::pair<Times, TestOutcome>> tests;
  const DeltaResult result = delta_debug(kPassing, kFailing, [&](const Times& t) {
    tests.emplace_back(t, stest(under(p, t)));
    return tests.back().second;
  });
  EXPECT_EQ(result.differences, 24u);
  EXPECT_EQ(result.switches, 5u);
  ASSERT_EQ(tests.size(), 4u);
  EXPECT_EQ(tests[0], std::pair(Times({5, 7, 8, 17, 17}), TestOutcome::kPass));
  EXPECT_EQ(tests[1], std::pair(Times({5, 7, 8, 10, 17}), TestOutcome::kFail));
  EXPECT_EQ(tests[2], std::pair(Times({5, 7, 8, 13, 17}), TestOutcome::kPass));
  EXPECT_EQ(tests[3], std::pair(Times({5, 7, 8, 11, 17}), TestOutcome::kPass));
  EXPECT_EQ(result.failing, Times({5, 7, 8, 10, 17}));
  EXPECT_EQ(result.passing, Times({5, 7, 8, 11, 17}));
  EXPECT_EQ(result.tests_to_one_switch, 2u);
  EXPECT_EQ(result.left, 1u);
  EXPECT_TRUE(result.minimal);
}

TEST(Delta, InvalidSchedulesAreDecidedWithoutARun) {
  EXPECT_TRUE(valid_times({5, 7, 7, 10}));
  EXPECT_FALSE(valid_times({6, 12, 17, 17, 15}));
  // The first difference alone tells nothing, the second alone would be invalid.
  const DeltaResult result = delta_debug({10, 20}, {8, 9}, [](const Times& t) {
    EXPECT_TRUE(valid_times(t));
    return t == Times({8, 20}) ? TestOutcome::kUnresolved : t[1] < 15 ? TestOutcome::kFail : TestOutcome::kPass;
  });
  EXPECT_TRUE(result.minimal);
  EXPECT_GE(result.invalid, 1u);
  EXPECT_EQ(result.left, 1u);
}

TEST(Delta, SeveralThatDecideTogetherStayTogether) {
  // Anything but the two end points is unresolved: nothing may be concluded.
  const DeltaResult result = delta_debug({10, 20}, {9, 19}, [](const Times&) { return TestOutcome::kUnresolved; });
  EXPECT_TRUE(result.minimal);
  EXPECT_EQ(result.left, 2u);
  EXPECT_EQ(result.tests, 2u);
}

TEST(Delta, NonMonotoneOutcomesNeverGiveAWrongPair) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Times pass = {100, 200, 300}, fail = {60, 180, 290};
    auto outcome = [&](const Times& t) {
      if (t == pass) return TestOutcome::kPass;
      if (t == fail) return TestOutcome::kFail;
      return static_cast<TestOutcome>(mix(mix(seed, t[0]), mix(t[1], t[2])) % 3);
    };
    const DeltaResult result = delta_debug(pass, fail, outcome);
    EXPECT_EQ(outcome(result.passing), TestOutcome::kPass);
    EXPECT_EQ(outcome(result.failing), TestOutcome::kFail);
  }
}

TEST(Delta, BillionsOfDifferencesNeedTensOfTests) {
  Times pass, fail;
  for (uint64_t i = 1; i <= 3770; ++i) {
    fail.push_back(i * 1'000'000);
    pass.push_back(i * 1'000'000 + 1'020'000);
  }
  const DeltaResult result =
      delta_debug(pass, fail, [](const Times& t) { return t[32] <= 33'123'456 ? TestOutcome::kFail : TestOutcome::kPass; });
  EXPECT_GT(result.differences, 3'000'000'000u);
  EXPECT_EQ(result.left, 1u);
  EXPECT_EQ(result.failing[32], 33'123'456u);
  EXPECT_EQ(result.passing[32], 33'123'457u);
  EXPECT_LE(result.tests, 50u);
}

IsolateResult isolated(const toy::Program& p, const Trace& failing, IsolateOptions options = {}) {
  DirectExecutor executor([&](const Plan& plan) { return p.run(plan); });
  return isolate(
      failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, options);
}

TEST(Isolate, FuzzesItsWayToAPassingScheduleAndNamesTheSwitch) {
  const toy::Program p = int_queue();
  IsolateOptions options;
  options.by = IsolateBy::kClock;
  const IsolateResult result = isolated(p, under(p, kFailing), options);
  ASSERT_TRUE(result.isolated) << result.why;
  EXPECT_GT(result.fuzz_executions, 0u);
  EXPECT_EQ(stest(result.failing), TestOutcome::kFail);
  EXPECT_EQ(stest(result.passing), TestOutcome::kPass);
  EXPECT_EQ(result.delta.left, 1u);
  // The two runs agree up to the earlier of the two times.
  const size_t common = std::min(result.fails_at, result.passes_at) - 1;
  EXPECT_EQ(first_difference(result.failing, result.passing), common);
}

TEST(Isolate, TakesAGivenPassingSchedule) {
  const toy::Program p = int_queue();
  IsolateOptions options;
  options.by = IsolateBy::kClock;
  options.passing = under(p, kPassing);
  const IsolateResult result = isolated(p, under(p, kFailing), options);
  ASSERT_TRUE(result.isolated) << result.why;
  EXPECT_EQ(result.fuzz_executions, 0u);
}

TEST(Isolate, OtherFailuresAreUnresolvedOrFailuresByOption) {
  const toy::Program p = int_queue();
  const Trace failing = under(p, kFailing);
  Trace::Data data;
  data.outcome.kind = OutcomeKind::kExit;
  data.outcome.code = 3;
  const Trace other{std::move(data)};
  for (bool counts : {false, true}) {
    // Every run but the first gives another failure, so that nothing passes.
    size_t runs = 0;
    DirectExecutor executor([&](const Plan& plan) { return runs++ == 0 ? p.run(plan) : other; });
    IsolateOptions options;
    options.by = IsolateBy::kClock;
    options.other_failures_fail = counts;
    options.fuzz_executions = 5;
    const IsolateResult result = isolate(
        failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, options);
    EXPECT_FALSE(result.isolated);
    EXPECT_EQ(result.executions, 6u);
  }
}

TEST(Isolate, ByIdentityFindsTheLostUpdate) {
  const toy::Program p = toy::lost_update(3, 4);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto failing = toy::random_failure(p, seed);
    ASSERT_TRUE(failing);
    IsolateOptions options;
    options.by = IsolateBy::kIdentity;
    const IsolateResult result = isolated(p, *failing, options);
    ASSERT_TRUE(result.isolated) << result.why;
    EXPECT_EQ(result.by, IsolateBy::kIdentity);
    EXPECT_EQ(result.passes_at, result.fails_at + 1);
    EXPECT_TRUE(same_bug(result.failing, *failing));
    EXPECT_FALSE(is_failure(result.passing.outcome()));
    ASSERT_NE(result.decides, kNoDifference);
    // What decides is on which side of the switch the variable is read or written.
    const Event& e = result.passing.events()[result.decides];
    EXPECT_TRUE(is_memory(e.op));
    EXPECT_EQ(e.object, failing->events().back().object);
  }
}

TEST(Isolate, SplicesTwoGivenRuns) {
  const toy::Program p = toy::check_then_act(3);
  const auto failing = toy::random_failure(p, 3);
  ASSERT_TRUE(failing);
  IsolateOptions options;
  options.by = IsolateBy::kIdentity;
  options.passing = p.run(Plan());
  const IsolateResult result = isolated(p, *failing, options);
  ASSERT_TRUE(result.isolated) << result.why;
  EXPECT_TRUE(same_bug(result.failing, *failing));
  EXPECT_FALSE(is_failure(result.passing.outcome()));
  EXPECT_EQ(result.fails_at, result.passes_at + 1);
}

TEST(Isolate, SaysWhenNothingPasses) {
  toy::Program p;
  p.bodies = {{toy::create(1), toy::join(1)},
              {toy::check(
                  0, [](const toy::Run&) { return false; }, "always")}};
  const Trace failing = p.run(Plan());
  const IsolateResult result = isolated(p, failing);
  EXPECT_FALSE(result.isolated);
  EXPECT_FALSE(result.why.empty());
}

TEST(Fuzz, IsDeterministicSortedAndWidens) {
  const Times times = {100, 200, 300};
  EXPECT_EQ(fuzzed(times, 5, 1), fuzzed(times, 5, 1));
  double narrow = 0, wide = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_TRUE(valid_times(fuzzed(times, 500, seed)));
    narrow += std::abs(static_cast<double>(fuzzed(times, 1, seed)[1]) - 200);
    wide += std::abs(static_cast<double>(fuzzed(times, 20, seed)[1]) - 200);
  }
  EXPECT_LT(narrow, wide);
}

}  // namespace
}  // namespace heddle::test
