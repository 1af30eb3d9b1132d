// Intervals against published values and their own definitions; schedules that obey something imposed.
#include <gtest/gtest.h>

#include <cmath>

#include "search/check.h"
#include "search/confidence.h"
#include "search/find.h"
#include "search/imposing.h"
#include "toy/toy.h"

namespace heddle::test {
namespace {

TEST(Confidence, ClopperPearson) {
  // Of none in n the upper end is 1 - (0.025)^(1/n), of all the lower one its n-th root.
  EXPECT_NEAR(clopper_pearson(0, 10).high, 1 - std::pow(0.025, 0.1), 1e-9);
  EXPECT_EQ(clopper_pearson(0, 10).low, 0);
  EXPECT_NEAR(clopper_pearson(10, 10).low, std::pow(0.025, 0.1), 1e-9);
  EXPECT_EQ(clopper_pearson(10, 10).high, 1);
  // Brown, Cai & DasGupta 2001 discuss the exact interval; 5 of 10 is (0.187, 0.813).
  EXPECT_NEAR(clopper_pearson(5, 10).low, 0.1871, 5e-5);
  EXPECT_NEAR(clopper_pearson(5, 10).high, 0.8129, 5e-5);
  EXPECT_NEAR(clopper_pearson(1, 200).low, 1 - std::pow(0.975, 1.0 / 200), 1e-9);
  EXPECT_EQ(clopper_pearson(0, 0).high, 1);
}

TEST(Confidence, FirstHitAndMissing) {
  EXPECT_NEAR(first_hit(1).low, 0.025, 1e-9);
  EXPECT_EQ(first_hit(1).high, 1);
  EXPECT_NEAR(miss_probability(first_hit(40).low, 40), 0.975, 1e-9);
  EXPECT_EQ(first_hit(0).low, 0);
  EXPECT_NEAR(miss_probability(0.5, 10), std::pow(0.5, 10), 1e-12);
  EXPECT_EQ(miss_probability(0, 1000), 1);
  EXPECT_EQ(miss_probability(1, 1), 0);
  EXPECT_EQ(runs_needed(0.5, 0.001), 10u);
  EXPECT_EQ(runs_needed(0, 0.01), ~uint64_t{0});
  for (double p : {0.01, 0.3, 0.9}) EXPECT_LE(miss_probability(p, runs_needed(p, 0.01)), 0.01);
}

// Two threads read and then write a counter; the second store loses an update if both have read before.
toy::Program lost_update() {
  toy::Program p;
  p.bodies.resize(3);
  p.bodies[0] = {toy::create(1), toy::create(2), toy::join(1), toy::join(2),
                 toy::check(
                     1, [](const toy::Run& r) { return r.vars.at(1) == 2; }, "lost an update")};
  for (int body : {1, 2}) p.bodies[static_cast<size_t>(body)] = {toy::load(1, 0), toy::store_reg(1, 0, 1)};
  p.code = {0, 1, 1};
  return p;
}

struct Outcomes {
  FindResult found;
  Imposing::Account account;
};

Outcomes impose(const toy::Program& program, const Imposed& imposed, uint32_t bound) {
  SearchOptions options;
  Imposing search(options, imposed, bound, [](const Trace& trace) { return trace; });
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  FindOptions find_options;
  find_options.keep_going = true;
  find_options.fails = [&](const Trace& t) { return is_failure(t.outcome()) && obeys(t, imposed); };
  Outcomes o{find(search, executor, find_options), {}};
  o.account = search.account();
  return o;
}

Spot spot_of(const Trace& trace, Op op) {
  for (const Event& e : trace.events()) {
    if (e.op == op && e.thread != 0) return {e.op, e.site};
  }
  return {};
}

TEST(Imposing, ASectionRemovesTheFailureAndNothingElseDoes) {
  const toy::Program program = lost_update();
  const Trace run = program.run(Plan{});
  Imposed nothing;
  const Outcomes free = impose(program, nothing, 2);
  EXPECT_TRUE(free.found.found()) << "without it the bug is there";
  EXPECT_TRUE(free.account.exhausted);
  EXPECT_EQ(free.account.kept_waiting, 0u);
  Imposed section;
  section.enter = {spot_of(run, Op::kLoad)};
  section.leave = {spot_of(run, Op::kStore)};
  const Outcomes held = impose(program, section, 2);
  EXPECT_FALSE(held.found.found());
  EXPECT_TRUE(held.account.exhausted);
  EXPECT_GT(held.account.schedules, 0u);
  EXPECT_GT(held.account.kept_waiting, 0u);
  EXPECT_EQ(held.account.stuck, 0u);
  EXPECT_LT(held.account.schedules, free.account.schedules);
}

TEST(Imposing, AnOrderThatCannotBeIsADeadlock) {
  toy::Program p;
  p.bodies.resize(2);
  p.bodies[0] = {toy::create(1), toy::join(1), toy::store(2, 1)};
  p.bodies[1] = {toy::store(1, 1)};
  const Trace run = p.run(Plan{});
  Imposed order;
  order.kind = ImposedKind::kOrder;
  order.waits = spot_of(run, Op::kStore);
  for (const Event& e : run.events()) {
    if (e.op == Op::kStore && e.thread == 0) order.awaited = {e.op, e.site};
  }
  ASSERT_NE(order.waits, order.awaited);
  EXPECT_GT(impose(p, order, 1).account.stuck, 0u) << "main writes only after the other has ended";
}

TEST(Remedies, OfTheLostUpdate) {
  const toy::Program program = lost_update();
  SearchOptions options;
  CheckOptions check_options;
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  const CheckResult checked = check(options, executor, check_options);
  ASSERT_TRUE(checked.found.found());
  const Trace failing = checked.found.failures.front().trace;
  bool any = false;
  for (const Remedy& r : remedies(failing, nullptr)) {
    EXPECT_FALSE(obeys(failing, r.imposed)) << "one that the failing run obeys removes nothing";
    any = any || (r.form == Remedy::Form::kOneSection && !impose(program, r.imposed, 2).found.found());
  }
  EXPECT_TRUE(any);
}

TEST(Check, PreemptionsAtChosenPlacesAreNoProof) {
  const toy::Program program = lost_update();
  SearchOptions options;
  options.preempt_at = {~SiteId{0}};
  CheckOptions check_options;
  DirectExecutor executor([&](const Plan& plan) { return program.run(plan); });
  const CheckResult checked = check(options, executor, check_options);
  EXPECT_FALSE(checked.found.found()) << "nobody was preempted";
  EXPECT_TRUE(checked.certificate.exhausted);
  EXPECT_FALSE(checked.proved());
  EXPECT_FALSE(checked.explored());
}

}  // namespace
}  // namespace heddle::test
