#include "trace/races.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

constexpr SiteId site(uint64_t offset) { return make_site(0, offset); }

RaceRow race(uint64_t first, uint64_t second, RaceKind kind, uint64_t call = 0) {
  RaceRow row{};
  row.kind = kind;
  row.count = 1;
  row.object = make_object(ObjectKind::kGlobal, 0, 0x4000);
  row.first.thread = 1;
  row.first.op = Op::kStore;
  row.first.site = site(first);
  row.second.thread = 2;
  row.second.op = Op::kLoad;
  row.second.site = site(second);
  if (call != 0) {
    row.first.stack[0] = site(call);
    row.first.stack_size = 1;
  }
  return row;
}

Trace trace_with(std::vector<RaceRow> races) {
  Trace::Data data;
  for (uint32_t i = 0; i < 3; ++i) {
    Thread t;
    t.id = i == 0 ? kMainThread : child_thread(kMainThread, i);
    t.birth = i;
    data.threads.push_back(t);
  }
  data.modules.push_back({"/nowhere/program", 0, true});
  data.races = std::move(races);
  return Trace(std::move(data));
}

TEST(RaceLog, SitesOfBothSidesAreSortedAndOnce) {
  RaceLog log;
  EXPECT_TRUE(log.add(trace_with({race(0x30, 0x10, RaceKind::kConfirmed), race(0x20, 0x10, RaceKind::kPossible)})));
  EXPECT_EQ(log.sites(), (std::vector<SiteId>{site(0x10), site(0x20), site(0x30)}));
}

TEST(RaceLog, KnownSitesAreNoNews) {
  RaceLog log;
  EXPECT_TRUE(log.add(trace_with({race(0x10, 0x20, RaceKind::kPossible)})));
  EXPECT_FALSE(log.add(trace_with({race(0x20, 0x10, RaceKind::kConfirmed)})));
  EXPECT_TRUE(log.add(trace_with({race(0x20, 0x30, RaceKind::kConfirmed)})));
}

TEST(RaceLog, TheOrderOfTheSidesMakesNoOtherRace) {
  RaceLog log;
  log.add(trace_with({race(0x10, 0x20, RaceKind::kConfirmed)}));
  log.add(trace_with({race(0x20, 0x10, RaceKind::kConfirmed)}));
  const auto races = log.report(Symbols({"/nowhere/program"}), {});
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].runs, 2u);
  EXPECT_EQ(races[0].count, 2u);
}

TEST(RaceLog, AConfirmedRaceTakesThePlaceOfTheSuspicion) {
  RaceLog log;
  log.add(trace_with({race(0x10, 0x20, RaceKind::kPossible)}));
  EXPECT_FALSE(log.report(Symbols({"/nowhere/program"}), {})[0].confirmed);
  log.add(trace_with({race(0x10, 0x20, RaceKind::kConfirmed)}));
  log.add(trace_with({race(0x10, 0x20, RaceKind::kPossible)}));
  const auto races = log.report(Symbols({"/nowhere/program"}), {});
  ASSERT_EQ(races.size(), 1u);
  EXPECT_TRUE(races[0].confirmed);
}

TEST(RaceLog, ConfirmedRacesComeFirst) {
  RaceLog log;
  log.add(trace_with({race(0x10, 0x20, RaceKind::kPossible), race(0x90, 0xA0, RaceKind::kConfirmed)}));
  const auto races = log.report(Symbols({"/nowhere/program"}), {});
  ASSERT_EQ(races.size(), 2u);
  EXPECT_TRUE(races[0].confirmed);
  EXPECT_FALSE(races[1].confirmed);
}

TEST(RaceLog, ThreadsAreNamedByTheirPathOfBirths) {
  RaceLog log;
  log.add(trace_with({race(0x10, 0x20, RaceKind::kConfirmed)}));
  const auto races = log.report(Symbols({"/nowhere/program"}), {});
  EXPECT_EQ(races[0].first.thread, "0.1");
  EXPECT_EQ(races[0].second.thread, "0.2");
  EXPECT_EQ(races[0].first.place, "program+0x10");
}

TEST(RaceLog, SitesThatWereNotNamedAreNoPoints) {
  RaceRow row = race(0x10, 0x20, RaceKind::kConfirmed);
  row.first.site = kNoSite;
  RaceLog log;
  log.add(trace_with({row}));
  EXPECT_EQ(log.sites(), std::vector<SiteId>{site(0x20)});
}

Frame frame(const std::string& function, const std::string& file) {
  Frame f;
  f.function = function;
  f.file = file;
  return f;
}

TEST(Suppressions, NothingIsCoveredByNone) {
  EXPECT_TRUE(Suppressions::parse("  \n# a comment\n").empty());
  EXPECT_FALSE(Suppressions().covers(frame("f", "a.c")));
}

TEST(Suppressions, FunctionsAndFilesAreToldApart) {
  const Suppressions s = Suppressions::parse("function:count_*   # statistics\nfile:log.c\n");
  EXPECT_TRUE(s.covers(frame("count_hits", "/src/a.c")));
  EXPECT_FALSE(s.covers(frame("other", "/src/count_x.c")));
  EXPECT_TRUE(s.covers(frame("other", "/src/log.c")));
  EXPECT_FALSE(s.covers(frame("log.c", "/src/a.c")));
}

TEST(Suppressions, ABarePatternMatchesEither) {
  Suppressions s;
  s.add("*stats*");
  EXPECT_TRUE(s.covers(frame("add_stats", "a.c")));
  EXPECT_TRUE(s.covers(frame("f", "/src/stats/a.c")));
  EXPECT_FALSE(s.covers(frame("f", "a.c")));
}

TEST(Suppressions, FunctionsMatchByTheirShortName) {
  Suppressions s;
  s.add("function:Bank::withdraw");
  EXPECT_TRUE(s.covers(frame("void Bank::withdraw(int)", "bank.cpp")));
}

}  // namespace
}  // namespace heddle::test
