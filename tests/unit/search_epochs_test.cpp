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
