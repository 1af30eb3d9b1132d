// What the events do not show is not taken to be independent: toys with accesses that are no events, as a plain program has them.
#include "trace/sight.h"

#include <gtest/gtest.h>

#include "search/check.h"
#include "simplify/simplify.h"
#include "toy/toy.h"
#include "trace/executor.h"

namespace heddle::test {
namespace {

constexpr int kAsked = 1;
constexpr int kAnswered = 2;

toy::Step hiding(toy::Step step, std::function<void(toy::Run&)> act) {
  step.act = std::move(act);
  return step;
}

// Each thread has a lock of its own and comes between the other's two critical sections: two preemptions, and one partial order.
toy::Program unseen_order() {
  toy::Program p;
  p.together = true;
  p.bodies.resize(2);
  p.bodies[0] = {hiding(toy::lock(1), [](toy::Run& r) { r.vars[kAsked] = 1; }), toy::unlock(1),
                 hiding(toy::lock(1),
                        [](toy::Run& r) {
                          if (r.vars[kAnswered] != 0) r.fail("answered");
                          r.vars[kAsked] = 0;
                        }),
                 toy::unlock(1), toy::join(1)};
  p.bodies[1] = {hiding(toy::lock(2), [](toy::Run& r) { r.vars[kAnswered] = r.vars[kAsked]; }), toy::unlock(2),
                 hiding(toy::lock(2), [](toy::Run& r) { r.vars[kAnswered] = 0; }), toy::unlock(2)};
  return p;
}

Trace as_built(const Trace& trace, bool instrumented, PointKind points = PointKind::kSync) {
  Trace::Data data = trace.data();
  data.modules = {{"/opt/program", 0, instrumented}, {"/lib/libc.so.6", 0, false}, {"linux-vdso.so.1", 0, false}};
  data.points = points;
  return Trace(std::move(data));
}

Execute plain(const toy::Program& program) {
  return [&program](const Plan& plan) { return as_built(program.run(plan), false); };
}

TEST(Sight, NamesWhatIsNotSeen) {
  const Trace trace = unseen_order().run({});
  EXPECT_EQ(unseen(trace), "") << "a toy hides nothing that its trace could tell of";
  EXPECT_EQ(unseen(as_built(trace, false)), "memory accesses of program are not seen");
  EXPECT_EQ(unseen(as_built(trace, true)), "memory accesses are not among the points");
  EXPECT_EQ(unseen(as_built(trace, true, PointKind::kAll)), "");
  EXPECT_EQ(unseen(as_built(trace, true, PointKind::kRacy)), "");
}

TEST(Sight, CheckFindsWhatOnlyHiddenAccessesTellApart) {
  const toy::Program program = unseen_order();
  DirectExecutor executor(plain(program));
  CheckOptions options;
  options.bound = 2;
  const CheckResult result = check({}, executor, options);
  EXPECT_TRUE(result.found.found());
  EXPECT_FALSE(result.certificate.reduced);

  options.reduction = Reduction::kAssumed;
  const CheckResult assumed = check({}, executor, options);
  EXPECT_FALSE(assumed.proved());
  EXPECT_NE(assumed.certificate.unseen, "");
}

TEST(Sight, ACertificateLeavesNothingHiddenOut) {
  const toy::Program program = unseen_order();
  const Execute run = plain(program);
  DirectExecutor executor(run);
  CheckOptions options;
  options.bound = 4;
  options.find.keep_going = true;
  Trace failing;
  options.find.each = [&](size_t, const Plan&, const Trace& t) {
    if (is_failure(t.outcome()) && t.preemptions() > 2) failing = t;
  };
  check({}, executor, options);
  ASSERT_GT(failing.preemptions(), 2u);
  for (const char* algorithm : {"bound", "exhaustive", "default"}) {
    SimplifyOptions how;
    how.algorithm = algorithm;
    const SimplifyResult result = simplify::simplify(
        failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, how);
    EXPECT_EQ(result.best.preemptions(), 2u) << algorithm;
    EXPECT_EQ(result.minimal, "proved") << algorithm;
  }
  SimplifyOptions how;
  how.algorithm = "bound";
  how.assume_race_free = true;
  EXPECT_EQ(simplify::simplify(
                failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, how)
                .minimal,
            "local");
}

}  // namespace
}  // namespace heddle::test
