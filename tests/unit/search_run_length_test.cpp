#include "search/run_length.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

Trace run(OutcomeKind kind, uint64_t executed) {
  Trace::Data data;
  data.outcome.kind = kind;
  data.executed = executed;
  return Trace(std::move(data));
}

TEST(RunLength, TheUniversalSequenceIsThePublishedOne) {
  const uint64_t expected[] = {1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1};
  for (uint64_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(luby(i + 1), expected[i]) << i;
}

TEST(RunLength, RunsThatEndAreNeverNearTheLimit) {
  RunLength length;
  for (uint64_t executed : {10ul, 5'000ul, 100'000ul, 300ul}) {
    length.observe(run(OutcomeKind::kExit, executed));
    EXPECT_GE(length.limit(), 8 * executed);
  }
  EXPECT_GE(length.limit(), 800'000u);
  EXPECT_EQ(length.cut(), 0u);
}

TEST(RunLength, AnEndlessProgramHasShortRunsAndFewLongOnes) {
  RunLength length;
  uint64_t spent = 0, longest = 0, shortest = ~uint64_t{0};
  constexpr uint64_t kMost = 1'000'000;
  for (int i = 0; i < 200; ++i) {
    const uint64_t limit = std::min(length.limit(), kMost);
    spent += limit;
    longest = std::max(longest, limit);
    shortest = std::min(shortest, limit);
    length.observe(run(OutcomeKind::kLimit, limit));
  }
  EXPECT_EQ(longest, kMost) << "a long program's end is looked for";
  EXPECT_EQ(shortest, 10'000u);
  EXPECT_LT(spent, 200 * 80'000u) << "most runs are short";
}

TEST(RunLength, TheLengthOfALongProgramIsKnownAfterAFewRuns) {
  RunLength length;
  constexpr uint64_t kItsOwn = 600'000;
  int cut = 0;
  while (length.limit() < kItsOwn && cut < 100) {
    length.observe(run(OutcomeKind::kLimit, length.limit()));
    ++cut;
  }
  EXPECT_LE(cut, 4);
  length.observe(run(OutcomeKind::kExit, kItsOwn));
  EXPECT_GE(length.limit(), kItsOwn);
}

}  // namespace
}  // namespace heddle::test
