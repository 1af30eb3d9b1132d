#include "trace/plain_races.h"

#include <gtest/gtest.h>

#include "wire/atomic_sites.h"

namespace heddle::test {
namespace {

constexpr SiteId site(uint64_t offset) { return make_site(0, offset); }

RaceSide side(uint32_t thread, Op op, uint64_t offset, uint16_t size = 4) {
  RaceSide s{};
  s.thread = thread;
  s.op = op;
  s.size = size;
  s.site = site(offset);
  return s;
}

RaceRow race(RaceSide first, RaceSide second) {
  RaceRow row{};
  row.kind = RaceKind::kConfirmed;
  row.count = 1;
  row.object = make_object(ObjectKind::kGlobal, 0, 0x4000);
  row.first = first;
  row.second = second;
  return row;
}

Trace trace_with(std::vector<RaceRow> races, LongRows<Event> events = {}) {
  Trace::Data data;
  for (uint32_t i = 0; i < 3; ++i) {
    Thread t;
    t.id = i == 0 ? kMainThread : child_thread(kMainThread, i);
    t.birth = i;
    data.threads.push_back(t);
  }
  data.modules.push_back({"/nowhere/program", 0, true});
  data.races = std::move(races);
  data.events = std::move(events);
  return Trace(std::move(data));
}

std::vector<RaceReport> reported(const PlainRaces& races) {
  return races.log().report(Symbols({"/nowhere/program"}), Suppressions::parse(""));
}

// Without debug information a load and a store may be those of an atomic variable: no proof, and what they order is looked at again.
TEST(PlainRaces, ordinary_instructions_without_a_source_are_only_suspected) {
  const Symbols symbols({"/nowhere/program"});
  PlainRaces races;
  EXPECT_TRUE(races.add(trace_with({race(side(1, Op::kStore, 0x10), side(2, Op::kLoad, 0x20))}), symbols, true));
  ASSERT_EQ(reported(races).size(), 1u);
  EXPECT_FALSE(reported(races).front().confirmed);
  EXPECT_EQ(races.sites(), (std::vector<SiteId>{atomic_site(site(0x10)), atomic_site(site(0x20))}));
  EXPECT_EQ(races.unknown(), 2u);
  EXPECT_FALSE(races.add(trace_with({}), symbols, true));
}

TEST(PlainRaces, what_cannot_be_atomic_is_confirmed) {
  const Symbols symbols({"/nowhere/program"});
  PlainRaces races;
  EXPECT_FALSE(races.add(trace_with({race(side(1, Op::kStore, 0x10, 16), side(2, Op::kLoad, 0x20, 16))}), symbols, true));
  EXPECT_FALSE(races.add(trace_with({race(side(1, Op::kFree, 0x30), side(2, Op::kLoad, 0x40))}), symbols, true));
  ASSERT_EQ(reported(races).size(), 2u);
  EXPECT_TRUE(reported(races).front().confirmed);
  EXPECT_TRUE(reported(races).back().confirmed);
}

// A run that did not know all shared memory from its beginning may have missed what orders the two.
TEST(PlainRaces, only_a_whole_run_confirms) {
  const Symbols symbols({"/nowhere/program"});
  PlainRaces races;
  EXPECT_FALSE(races.add(trace_with({race(side(1, Op::kStore, 0x10, 16), side(2, Op::kLoad, 0x20, 16))}), symbols, false));
  EXPECT_TRUE(reported(races).empty());
}

TEST(PlainRaces, what_locked_instructions_touch_is_atomic) {
  const Symbols symbols({"/nowhere/program"});
  PlainRaces races;
  EXPECT_TRUE(races.add(trace_with({race(side(1, Op::kAtomicStore, 0x10), side(2, Op::kLoad, 0x20))}), symbols, true));
  EXPECT_TRUE(reported(races).empty());
  EXPECT_EQ(races.sites(), std::vector<SiteId>{atomic_site(site(0x20))});
}

// That a lock is made late is no matter of atomic variables.
TEST(PlainRaces, locks_are_no_atomic_variables) {
  const Symbols symbols({"/nowhere/program"});
  PlainRaces races;
  const RaceRow row = race(side(1, Op::kStore, 0x10, 1), side(2, Op::kAtomicLoad, 0x20, 1));
  Event lock{};
  lock.op = Op::kMutexLock;
  lock.number = 1;
  lock.object = row.object;
  EXPECT_FALSE(races.add(trace_with({row}, {lock}), symbols, true));
  ASSERT_EQ(reported(races).size(), 1u);
  EXPECT_TRUE(reported(races).front().confirmed);
}

}  // namespace
}  // namespace heddle::test
