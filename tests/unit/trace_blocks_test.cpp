// The free of a block meets every use of what lies in it.
#include <gtest/gtest.h>

#include "trace/happens_before.h"

namespace heddle::test {
namespace {

// An object of a block: allocated by main as its n-th, at an offset.
ObjectRow in_block(uint64_t number, uint64_t offset) {
  ObjectRow row{};
  row.a = kMainThread;
  row.b = number;
  row.offset = offset;
  row.id = make_object(ObjectKind::kHeap, row.a, row.b, offset);
  row.bytes = 32;
  return row;
}

struct Step {
  uint32_t thread;
  Op op;
  ObjectRow row;
};

Trace trace_of(const std::vector<Step>& steps) {
  Trace::Data data;
  for (uint32_t i = 0; i < 3; ++i) {
    Thread t;
    t.id = i == 0 ? kMainThread : child_thread(kMainThread, i);
    t.birth = i;
    data.threads.push_back(t);
  }
  std::vector<uint32_t> numbers(3, 0);
  for (const Step& step : steps) {
    Event e{};
    e.thread = step.thread;
    e.number = ++numbers[step.thread];
    e.op = step.op;
    e.object = step.row.id;
    e.site = make_site(0, 16 + step.thread);
    data.events.push_back(e);
    data.objects.push_back(step.row);
  }
  return Trace(std::move(data));
}

TEST(Blocks, AFreeConflictsWithAUseAnywhereInItsBlock) {
  for (const Op use : {Op::kLoad, Op::kStore, Op::kAtomicLoad, Op::kMutexLock}) {
    const auto pairs = reversible_conflicts(trace_of({{1, use, in_block(1, 24)}, {2, Op::kFree, in_block(1, 0)}}));
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].first, 0u);
    EXPECT_EQ(pairs[0].second, 1u);
    EXPECT_EQ(reversible_conflicts(trace_of({{2, Op::kFree, in_block(1, 0)}, {1, use, in_block(1, 24)}})).size(), 1u);
  }
}

TEST(Blocks, NotWithAnotherBlockNorWithItsOwnThread) {
  EXPECT_TRUE(reversible_conflicts(trace_of({{1, Op::kLoad, in_block(2, 24)}, {2, Op::kFree, in_block(1, 0)}})).empty());
  EXPECT_TRUE(reversible_conflicts(trace_of({{2, Op::kLoad, in_block(1, 24)}, {2, Op::kFree, in_block(1, 0)}})).empty());
}

TEST(Blocks, UsesOfTwoFieldsDoNotConflict) {
  EXPECT_TRUE(reversible_conflicts(trace_of({{1, Op::kStore, in_block(1, 8)}, {2, Op::kStore, in_block(1, 24)}})).empty());
}

TEST(Blocks, TheOrderOfUseAndFreeIsPartOfTheOrder) {
  const Step use{1, Op::kLoad, in_block(1, 24)};
  const Step other{1, Op::kLoad, in_block(2, 24)};
  const Step field{2, Op::kStore, in_block(1, 8)};
  const Step free{2, Op::kFree, in_block(1, 0)};
  EXPECT_NE(order_hash(trace_of({use, free})), order_hash(trace_of({free, use})));
  EXPECT_EQ(order_hash(trace_of({other, free})), order_hash(trace_of({free, other})));
  EXPECT_EQ(order_hash(trace_of({use, field})), order_hash(trace_of({field, use})));
}

}  // namespace
}  // namespace heddle::test
