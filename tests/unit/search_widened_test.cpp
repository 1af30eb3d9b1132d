// A search over more points after a while: what it does before and after, and that nothing changes where there are none.
#include "search/widened.h"

#include <gtest/gtest.h>

#include "search/find.h"
#include "search/make.h"
#include "toy/kernels.h"

namespace heddle::test {
namespace {

constexpr size_t kFirst = 5;

toy::Program harmless() { return toy::threads({{toy::store(1, 1), toy::store(2, 1)}, {toy::load(1, 0), toy::load(2, 0)}}, {}); }

std::vector<Plan> proposals(Search& search, size_t count) {
  std::vector<Plan> plans;
  for (size_t i = 0; i < count; ++i) {
    const auto plan = search.propose();
    if (!plan) break;
    plans.push_back(*plan);
    search.observe(i, harmless().run(*plan));
  }
  return plans;
}

Plan with_point(uint64_t offset) {
  Plan base;
  base.points = PointKind::kRacy;
  base.sites = {plain_access(make_site(0, offset))};
  return base;
}

TEST(Widened, GoesOnAsItWasWhereNothingIsLearnt) {
  const SearchRow& row = *search_named("random");
  size_t asked = 0;
  Widened widened({}, row, kFirst, [&](const Trace&) -> Wider {
    ++asked;
    return {};
  });
  const auto plain = row.make({});
  const auto with = proposals(widened, 20), without = proposals(*plain, 20);
  ASSERT_EQ(with.size(), without.size());
  for (size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].tail.seed, without[i].tail.seed);
  EXPECT_EQ(asked, 1u);
}

TEST(Widened, BeginsAgainOverWhatIsLearnt) {
  const SearchRow& row = *search_named("random");
  Widened widened({}, row, kFirst, [&](const Trace&) { return Wider{with_point(16), 0}; });
  const auto plans = proposals(widened, 12);
  ASSERT_EQ(plans.size(), 12u);
  for (size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(plans[i].sites.size(), i < kFirst ? 0u : 1u);
  for (size_t i = kFirst; i < 2 * kFirst; ++i) EXPECT_EQ(plans[i].tail.seed, plans[i - kFirst].tail.seed);
}

TEST(Widened, AsksAgainWhenItWasToldTo) {
  std::vector<size_t> observed;
  size_t made = 0;
  Widened widened({}, *search_named("random"), 1, [&](const Trace&) -> Wider {
    observed.push_back(made);
    if (observed.size() == 1) return {std::nullopt, 4};
    if (observed.size() == 2) return {with_point(16), 6};
    return {with_point(32), 0};
  });
  while (made < 20) {
    const auto plan = widened.propose();
    ASSERT_TRUE(plan);
    widened.observe(made++, harmless().run({}));
  }
  EXPECT_EQ(observed, (std::vector<size_t>{1, 5, 11}));
  EXPECT_EQ(widened.base().sites, with_point(32).sites);
}

// A search that has tried everything is no reason to stop while there is something to learn.
TEST(Widened, AsksWhereTheSearchIsOver) {
  size_t asked = 0;
  Widened widened({}, *search_named("bounded"), 1, [&](const Trace&) -> Wider {
    ++asked;
    return {std::nullopt, asked < 3 ? size_t{1000} : 0};
  });
  for (size_t i = 0; i < 200; ++i) {
    const auto plan = widened.propose();
    if (!plan) break;
    widened.observe(i, harmless().run(*plan));
  }
  EXPECT_EQ(asked, 3u);
}

TEST(Widened, BeginsAgainWithWhatTheFirstRunRevises) {
  Widened widened(
      {}, *search_named("random"), 1,
      [](const Trace&) {
        return Wider{with_point(16), 0};
      },
      [](const Trace&) { return std::optional<Plan>(with_point(32)); });
  const auto plans = proposals(widened, 2);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[1].sites, with_point(16).sites);
  EXPECT_EQ(widened.base().sites, with_point(32).sites);
}

// What is under way may fail: points are learnt only after it.
TEST(Widened, WaitsForWhatIsUnderWay) {
  Widened widened({}, *search_named("random"), 2, [](const Trace&) { return Wider{with_point(16), 0}; });
  const auto first = widened.propose(), second = widened.propose();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(widened.propose());
  for (size_t i = 0; i < 2; ++i) widened.observe(i, harmless().run({}));
  EXPECT_TRUE(widened.propose());
}

}  // namespace
}  // namespace heddle::test
