// The default pipeline on toy programs whose optimum is known, and beside Tinertia on the same traces.
#include <gtest/gtest.h>

#include "simplify/simplify.h"
#include "simplify_programs.h"
#include "toy/toy.h"
#include "trace/executor.h"

namespace heddle {
namespace {

SimplifyResult run(const toy::Program& program, const Trace& failing, const char* algorithm, size_t* executions = nullptr) {
  size_t count = 0;
  DirectExecutor executor([&](const Plan& plan) {
    ++count;
    return program.run(plan);
  });
  SimplifyOptions options;
  options.algorithm = algorithm;
  SimplifyResult result = simplify(failing, [&](const Trace& t) { return same_bug(failing, t); }, executor, options);
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
      EXPECT_EQ(executions, ours.executions);
      EXPECT_TRUE(same_bug(ours.best, *failing));
      EXPECT_FALSE(simpler(theirs.best.counts(), ours.best.counts()));
      EXPECT_EQ(ours.best.preemptions(), known.preemptions);
      ours_total += ours.executions - ours.certificate_schedules;
      theirs_total += theirs.executions;
    }
  }
  // Over toys of a few intervals the first, fixed tests weigh most.
  EXPECT_LE(ours_total * 2, theirs_total);
}

}  // namespace
}  // namespace heddle
