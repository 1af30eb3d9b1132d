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

TEST(Widened, GoesOnAsItWasWhereNothingIsLearnt) {
  const SearchRow& row = *search_named("random");
  size_t asked = 0;
  Widened widened({}, row, kFirst, [&]() -> std::optional<Plan> {
    ++asked;
    return std::nullopt;
  });
  const auto plain = row.make({});
  const auto with = proposals(widened, 20), without = proposals(*plain, 20);
  ASSERT_EQ(with.size(), without.size());
  for (size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].tail.seed, without[i].tail.seed);
  EXPECT_EQ(asked, 1u);
}

TEST(Widened, BeginsAgainOverWhatIsLearnt) {
  const SearchRow& row = *search_named("random");
  Widened widened({}, row, kFirst, [&] {
    Plan base;
    base.points = PointKind::kRacy;
    base.sites = {plain_access(make_site(0, 16))};
    return std::optional<Plan>(base);
  });
  const auto plans = proposals(widened, 12);
  ASSERT_EQ(plans.size(), 12u);
  for (size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(plans[i].sites.size(), i < kFirst ? 0u : 1u);
  for (size_t i = kFirst; i < 2 * kFirst; ++i) EXPECT_EQ(plans[i].tail.seed, plans[i - kFirst].tail.seed);
}

// What was under way when the points were learnt is another search's.
TEST(Widened, ForgetsWhatWasUnderWay) {
  Widened widened({}, *search_named("random"), 2, [] { return std::optional<Plan>(Plan{}); });
  const auto first = widened.propose(), second = widened.propose(), third = widened.propose();
  ASSERT_TRUE(first && second && third);
  for (size_t i = 0; i < 3; ++i) widened.observe(i, harmless().run({}));
  EXPECT_TRUE(widened.propose());
}

}  // namespace
}  // namespace heddle::test
