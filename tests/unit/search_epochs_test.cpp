// Point sets that are learnt on the way: the first run over all accesses becomes the sequential run over those that race.
#include "search/epochs.h"

#include <gtest/gtest.h>

#include "search/find.h"
#include "search/make.h"
#include "toy/kernels.h"
#include "trace/happens_before.h"
#include "trace/project.h"

namespace heddle::test {
namespace {

// Two threads that write a variable of their own, then update a shared one without a lock.
toy::Program racy() {
  auto body = [](int own) {
    return std::vector<toy::Step>{toy::store(own, 1), toy::store(own, 2), toy::load(1, 0), toy::store_reg(1, 0, 1), toy::store(own, 3)};
  };
  return toy::threads({body(10), body(11)}, {toy::check(
                                                1, [](const toy::Run& r) { return r.vars.at(1) == 2; }, "lost")});
}

// What a toy records over all accesses, as a real program over the plan's point set would record it.
Trace over_points(const toy::Program& program, const Plan& plan) {
  if (plan.points == PointKind::kAll) {
    Trace::Data data = program.run(plan).data();
    data.points = PointKind::kAll;
    return Trace(std::move(data));
  }
  return project(program.run(plan), plan.sites);
}

TEST(Project, LeavesOutWhatDoesNotRaceAndCountsAnew) {
  const Trace all = racy().run({});
  const std::vector<SiteId> sites = racing_sites(all);
  const Trace left = project(all, sites);
  size_t stores_of_own = 0;
  std::vector<uint32_t> numbers(left.threads().size());
  for (const Event& e : left.events()) {
    EXPECT_EQ(e.number, ++numbers[e.thread]);
    stores_of_own += is_memory(e.op) && !std::binary_search(sites.begin(), sites.end(), e.site) ? 1 : 0;
  }
  EXPECT_EQ(stores_of_own, 0u);
  EXPECT_EQ(left.events().size() + 7, all.events().size());  // three of each thread, and what main reads at the end
  EXPECT_EQ(left.switches(), all.switches());
  EXPECT_EQ(left.preemptions(), all.preemptions());
  for (size_t i = 0; i < left.threads().size(); ++i) EXPECT_EQ(left.threads()[i].operations, numbers[i]);
}

TEST(Project, FindsTheSameConflictsAsARunOverTheRacingPointsOnly) {
  const Trace all = racy().run({});
  const Trace left = project(all, racing_sites(all));
  EXPECT_FALSE(reversible_conflicts(left).empty());
  EXPECT_EQ(racing_sites(left), racing_sites(all));
}

TEST(Epochs, TheFirstRunIsTheSequentialRunOfTheSearch) {
  SearchOptions options;
  Epochs search(options, *search_named("guided"));
  const toy::Program program = racy();
  const std::optional<Plan> first = search.propose();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->points, PointKind::kAll);
  EXPECT_NE(first->detect & kDetectRaces, 0u);
  EXPECT_FALSE(search.propose());
  search.observe(0, over_points(program, *first));
  const std::optional<Plan> second = search.propose();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->points, PointKind::kRacy);
  EXPECT_FALSE(second->slices.empty()) << "the sequential run is known already";
  EXPECT_EQ(second->sites, search.sites());
}

TEST(Epochs, ANewRacingSiteBeginsANewEpoch) {
  SearchOptions options;
  options.history = std::make_shared<SearchHistory>();
  Epochs search(options, *search_named("random"));
  const toy::Program program = racy();
  search.observe(0, over_points(program, *search.propose()));
  const size_t known = search.sites().size();
  const std::optional<Plan> plan = search.propose();
  Trace::Data data = over_points(program, *plan).data();
  RaceRow row{};
  row.first.site = 0x1001;
  row.second.site = 0x1002;
  data.races.push_back(row);
  search.propose();
  search.observe(1, Trace(std::move(data)));
  EXPECT_EQ(search.epochs(), 2u);
  EXPECT_EQ(search.sites().size(), known + 2);
  EXPECT_EQ(options.history->sites, search.sites());
  search.observe(2, over_points(program, *plan));  // proposed in the epoch before: passed over
  EXPECT_EQ(search.propose()->sites, search.sites());
}

Trace with_race(const Trace& trace, SiteId first, SiteId second) {
  Trace::Data data = trace.data();
  RaceRow row{};
  row.first.site = first;
  row.second.site = second;
  data.races.push_back(row);
  return Trace(std::move(data));
}

// Long runs are sampled, and a large program shows a new site every few of them: a search that began anew each time would only make its first runs.
TEST(Epochs, SamplesOfLongRunsGoOnOverMorePoints) {
  auto body = [](int reg) {
    std::vector<toy::Step> steps;
    for (int i = 0; i < 1'200; ++i) {
      steps.push_back(toy::load(1, reg));
      steps.push_back(toy::store_reg(1, reg, 1));
    }
    return steps;
  };
  const toy::Program program = toy::threads({body(0), body(0)}, {});
  SearchOptions options;
  Epochs search(options, *search_named("portfolio"));
  search.observe(0, over_points(program, *search.propose()));
  const size_t known = search.sites().size();
  std::optional<Plan> plan = search.propose();
  ASSERT_TRUE(plan);
  search.observe(1, with_race(over_points(program, *plan), 0x1001, 0x1002));
  EXPECT_EQ(search.epochs(), 1u) << "two sites more are no reason to begin anew";
  EXPECT_EQ(search.sites().size(), known + 2);
  size_t samples = 0;
  for (size_t i = 2; i < 30; ++i) {
    plan = search.propose();
    ASSERT_TRUE(plan);
    if (plan->slices.empty()) {
      ++samples;
      EXPECT_EQ(plan->sites, search.sites()) << "a sample has all points that are known";
    } else {
      EXPECT_EQ(plan->sites.size(), known) << "slices are counted in the points of the run that they come from";
    }
    search.observe(i, over_points(program, *plan));
  }
  EXPECT_GE(samples, 18u) << "most runs are samples";
  Trace news = over_points(program, *search.propose());
  for (SiteId i = 0; i < known / 4; ++i) news = with_race(news, 0x2000 + i, 0x2000 + i);
  search.observe(30, news);
  EXPECT_EQ(search.epochs(), 2u) << "what was known is out of date";
}

TEST(Epochs, FollowsARunThatIsTooLongToScout) {
  SearchOptions options;
  Epochs search(options, *search_named("guided"));
  const std::optional<Plan> first = search.propose();
  Trace::Data data = over_points(racy(), *first).data();
  data.outcome.kind = OutcomeKind::kLimit;
  search.observe(0, Trace(std::move(data)));
  const std::optional<Plan> second = search.propose();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->tail.kind, PolicyKind::kRandom) << "walks show what races before the search begins";
  EXPECT_NE(second->detect & kDetectRaces, 0u);
  EXPECT_EQ(second->points, PointKind::kRacy);
  EXPECT_FALSE(search.propose()) << "the next walk goes over what this one shows";
  EXPECT_EQ(search.epochs(), 0u);
  size_t walks = 1;
  for (std::optional<Plan> plan = second; plan->tail.kind == PolicyKind::kRandom; ++walks) {
    ASSERT_LE(walks, 4u);
    search.observe(walks, over_points(racy(), *plan));
    plan = search.propose();
    ASSERT_TRUE(plan);
    if (plan->tail.kind != PolicyKind::kRandom) {
      EXPECT_TRUE(plan->slices.empty()) << "nothing is known of the run without preemptions";
      EXPECT_EQ(search.epochs(), 1u);
    }
  }
  EXPECT_EQ(walks, 3u) << "the second showed nothing new";
}

}  // namespace
}  // namespace heddle::test
