// The default pipeline on toy programs whose optimum is known, and beside Tinertia on the same traces.
#include <gtest/gtest.h>

#include "effort.h"
#include "simplify/simplify.h"
#include "simplify_programs.h"
#include "toy/toy.h"
#include "trace/executor.h"

namespace heddle::test {
namespace {

SimplifyResult run(const toy::Program& program, const Trace& failing, const char* algorithm, size_t* executions = nullptr) {
  size_t count = 0;
  DirectExecutor executor([&](const Plan& plan) {
    ++count;
    return program.run(plan);
  });
  SimplifyOptions options;
  options.algorithm = algorithm;
  SimplifyResult result = simplify::simplify(
      failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, options);
  if (executions != nullptr) *executions = count;
  return result;
}

TEST(Default, ReachesTheKnownOptimumAndIsCheaperThanTinertia) {
  size_t ours_total = 0, theirs_total = 0;
  for (const toy::Known& known : toy::known_programs()) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(known.name + " seed " + std::to_string(seed));
      const auto failing = toy::random_failure(known.program, seed);
      ASSERT_TRUE(failing);
      size_t executions = 0;
      const SimplifyResult ours = run(known.program, *failing, "default", &executions);
      const SimplifyResult theirs = run(known.program, *failing, "tinertia");
      EXPECT_EQ(executions, ours.executions + ours.certificate_executions);
      EXPECT_TRUE(same_bug(ours.best, *failing));
      EXPECT_FALSE(simpler(theirs.best.counts(), ours.best.counts()));
      EXPECT_EQ(ours.best.preemptions(), known.preemptions);
      EXPECT_EQ(ours.minimal, "proved");
      ours_total += ours.executions;
      theirs_total += theirs.executions;
    }
  }
  // Over toys of a few intervals the first, fixed tests weigh most.
  EXPECT_LE(ours_total * 2, theirs_total);
}

// The optimum by search over all schedules is what the default has to reach.
TEST(Default, ReachesWhatTheExhaustiveSearchProves) {
  for (const toy::Known& known : toy::known_programs()) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(known.name + " seed " + std::to_string(seed));
      const auto failing = toy::random_failure(known.program, seed);
      ASSERT_TRUE(failing);
      if (failing->counts().threads > 4) continue;
      const SimplifyResult optimum = run(known.program, *failing, "exhaustive");
      const SimplifyResult ours = run(known.program, *failing, "default");
      EXPECT_EQ(optimum.minimal, "proved");
      EXPECT_EQ(optimum.best.preemptions(), known.preemptions);
      EXPECT_EQ(ours.best.switches(), optimum.best.switches());
    }
  }
}

// What the threads did in one deadlock is enough to put the simplest one together: a handful of runs, whatever the schedule was like.
TEST(Replan, FindsTheSimplestDeadlockOnPaper) {
  const toy::Program program = toy::lock_cycle(2, 3);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto failing = toy::random_failure(program, seed);
    ASSERT_TRUE(failing);
    size_t executions = 0;
    const SimplifyResult result = run(program, *failing, "reorder+replan", &executions);
    EXPECT_TRUE(same_bug(result.best, *failing));
    EXPECT_EQ(result.best.preemptions(), 1u);  // main waits in its join, one thread is stopped with its first lock
    EXPECT_EQ(result.best.switches(), 4u);     // to each of the two and, since a toy stands still only when nobody can go on, to the others
    EXPECT_LE(executions, 6u);
  }
}

TEST(Default, GoesOnFromWhereItWasCutShort) {
  const toy::Program program = toy::lost_update(3, 2);
  const auto failing = toy::random_failure(program, 1);
  ASSERT_TRUE(failing);
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  const auto same = [&](const Trace& t) { return same_bug(*failing, t); };
  SimplifyOptions options;
  options.max_executions = 2;
  const SimplifyResult cut = simplify::simplify(*failing, same, executor, options);
  EXPECT_FALSE(cut.finished);
  EXPECT_LE(cut.executions + cut.certificate_executions, 2u);
  const SimplifyResult resumed = simplify::simplify(cut.best, same, executor);
  EXPECT_TRUE(resumed.finished);
  EXPECT_EQ(resumed.best.preemptions(), 1u);
}

// Small programs drawn at random: shared variables, two locks, a semaphore, a check at the end or in the middle.
toy::Program random_program(uint64_t seed) {
  using namespace toy;  // NOLINT
  uint64_t draw = 0;
  auto pick = [&](uint64_t n) { return static_cast<int>(mix(seed, ++draw) % n); };
  const int threads = 2 + pick(2);
  Program p;
  p.bodies.push_back({});
  for (int t = 1; t <= threads; ++t) p.bodies[0].push_back(create(t));
  if (pick(2) == 0) p.bodies[0].push_back(store(pick(2), 2));
  for (int t = 1; t <= threads; ++t) p.bodies[0].push_back(join(t));
  const int target = pick(4);
  p.bodies[0].push_back(check(
      0, [target](const Run& r) { return (r.vars.contains(1) ? r.vars.at(1) : 0) + r.vars.at(0) != target; }, "end"));
  for (int t = 1; t <= threads; ++t) {
    std::vector<Step> body;
    const int steps = 2 + pick(3);
    for (int i = 0; i < steps; ++i) {
      const int x = pick(2);
      switch (pick(6)) {
        case 0: body.insert(body.end(), {load(x, 0), store_reg(x, 0, 1)}); break;
        case 1: body.insert(body.end(), {lock(x), load(x, 0), store_reg(x, 0, 1), unlock(x)}); break;
        case 2: body.insert(body.end(), {lock(x), lock(1 - x), store(x, pick(3)), unlock(1 - x), unlock(x)}); break;
        case 3: body.push_back(store(x, pick(3))); break;
        case 4: body.push_back(toy::yield()); break;
        case 5: body.push_back(store(10 + t, i)); break;
      }
    }
    p.bodies.push_back(body);
  }
  return p;
}

// A non-preemptive schedule drawn at random: at each turn some thread runs for as long as it can.
Plan random_turns(const Trace& like, uint64_t seed) {
  Plan plan;
  for (uint64_t i = 0; i < 60; ++i) {
    plan.slices.push_back({like.threads()[mix(seed, i) % like.threads().size()].id, ~uint64_t{0}});
  }
  return plan;
}

// The long test, in parts: a slow build of it (ASan) uses all processors.
constexpr uint64_t kParts = 4;
class Proof : public testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, Proof, testing::Range<uint64_t>(0, kParts));

TEST_P(Proof, IsNotRefutedBySampling) {
  size_t proved = 0, one = 0;
  for (uint64_t seed = 1 + GetParam(); seed <= repetitions(300); seed += kParts) {
    SCOPED_TRACE(seed);
    const toy::Program program = random_program(seed);
    const auto failing = toy::random_failure(program, seed, 300);
    if (!failing) continue;
    const SimplifyResult result = run(program, *failing, "default");
    EXPECT_TRUE(same_bug(result.best, *failing));
    if (result.minimal != "proved") continue;
    ++proved;
    if (result.best.preemptions() == 0) continue;
    ++one;
    for (uint64_t sample = 0; sample < 300; ++sample) {
      const Trace trace = program.run(random_turns(*failing, mix(seed, sample)));
      if (trace.preemptions() >= result.best.preemptions()) continue;
      ASSERT_FALSE(same_bug(trace, *failing)) << "with " << trace.preemptions() << " preemptions, sample " << sample;
    }
  }
  if (kSanitized) return;  // too few for what follows
  EXPECT_GE(proved, 100u / kParts);
  EXPECT_GE(one, 30u / kParts);
}

}  // namespace
}  // namespace heddle::test
