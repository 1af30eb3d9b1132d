// Every access of an instrumented program is one event with its size and value, the same for all compilers at -O0 and -O2; and the
// point sets take exactly their part of them.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "exec/runner.h"

namespace heddle::test {
namespace {

struct Expected {
  Op op;
  uint32_t size;
  uint64_t value;
};

std::vector<Expected> expected_accesses() {
  std::vector<Expected> all;
  for (uint32_t size : {1u, 2u, 4u, 8u}) {
    for (Expected e : {Expected{Op::kStore, size, 3}, {Op::kLoad, size, 3}, {Op::kStore, size, 4}, {Op::kLoad, size, 4}}) all.push_back(e);
  }
  for (uint32_t size : {16u, 2u, 4u, 8u}) {
    all.push_back({Op::kStore, size, 3});
    all.push_back({Op::kLoad, size, 3});
  }
  for (uint32_t size : {40u, 24u}) {
    all.push_back({Op::kLoad, size, 0});
    all.push_back({Op::kStore, size, 0});
  }
  all.push_back({Op::kStore, 17, 0x1111111111111111});
  all.push_back({Op::kLoad, 8, ~uint64_t{0}});  // the pointer to the virtual functions: some address
  for (uint32_t size : {1u, 2u, 4u, 8u}) {
    const uint64_t mask = size == 8 ? ~uint64_t{0} : (uint64_t{1} << (size * 8)) - 1;
    all.push_back({Op::kAtomicStore, size, 5});
    all.push_back({Op::kAtomicLoad, size, 5});
    for (uint64_t value : {6, 7, 5, 5, 13, 12}) all.push_back({Op::kAtomicRmw, size, value});
    all.push_back({Op::kAtomicRmw, size, ~uint64_t{12 & 3} & mask});
  }
  all.push_back({Op::kFence, 0, 0});
  return all;
}

class AccessTest : public testing::TestWithParam<const char*> {
 protected:
  static Trace run(PointKind points) {
    RunnerOptions options;
    options.library = std::getenv("HEDDLE_RUNTIME");
    Runner runner(Target::resolve({std::string(std::getenv("HEDDLE_PROGRAMS")) + "/program." + GetParam()}), options);
    Plan plan;
    plan.points = points;
    return runner.run(plan).trace;
  }
  static std::vector<Event> accesses(const Trace& trace) {
    std::vector<Event> all;
    for (const Event& e : trace.events()) {
      if (e.thread != 1 || !is_memory(e.op)) continue;
      // gcc without optimisation also announces the read of the table that the object's pointer leads to.
      const bool from_table = (e.flags & kPointer) != 0 && !all.empty() && (all.back().flags & kPointer) != 0;
      if (!from_table) all.push_back(e);
    }
    return all;
  }
};

TEST_P(AccessTest, EveryAccessIsAnEvent) {
  const Trace trace = run(PointKind::kAll);
  ASSERT_EQ(trace.outcome().kind, OutcomeKind::kExit);
  const std::vector<Event> found = accesses(trace);
  const std::vector<Expected> expected = expected_accesses();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "access " << i);
    EXPECT_STREQ(row(found[i].op).name, row(expected[i].op).name);
    EXPECT_EQ(found[i].size, expected[i].size);
    EXPECT_EQ((found[i].flags & kWide) != 0, expected[i].size > 8);
    if (expected[i].value == ~uint64_t{0} && expected[i].op == Op::kLoad) {
      EXPECT_NE(found[i].flags & kPointer, 0);
    } else {
      EXPECT_EQ(found[i].value, expected[i].value);
    }
    EXPECT_NE(found[i].site, kNoSite);
    if (found[i].op != Op::kFence) {
      EXPECT_EQ(object_kind(found[i].object), ObjectKind::kGlobal);
    }
  }
}

TEST_P(AccessTest, AtomicsAreTheirOwnPointSet) {
  const std::vector<Event> found = accesses(run(PointKind::kAtomics));
  ASSERT_EQ(found.size(), 37u);
  for (const Event& e : found) EXPECT_EQ(row(e.op).family, Family::kAtomics);
}

TEST_P(AccessTest, SynchronisationAloneHasNoAccesses) { EXPECT_TRUE(accesses(run(PointKind::kSync)).empty()); }

TEST_P(AccessTest, FunctionsAndAtomics) {
  const Trace trace = run(PointKind::kFunctions);
  size_t entries = 0;
  for (const Event& e : trace.events()) entries += e.op == Op::kFunctionEntry ? 1 : 0;
  EXPECT_GT(entries, 0u);
  EXPECT_EQ(accesses(trace).size(), 37u);
}

TEST_P(AccessTest, RacingSitesAloneArePoints) {
  const std::vector<Event> all = accesses(run(PointKind::kAll));
  RunnerOptions options;
  options.library = std::getenv("HEDDLE_RUNTIME");
  Runner runner(Target::resolve({std::string(std::getenv("HEDDLE_PROGRAMS")) + "/program." + GetParam()}), options);
  Plan plan;
  plan.points = PointKind::kRacy;
  plan.sites = {all[0].site};
  size_t plain = 0;
  for (const Event& e : accesses(runner.run(plan).trace)) plain += row(e.op).family == Family::kMemory ? 1 : 0;
  EXPECT_EQ(plain, 1u);
}

std::vector<const char*> builds() {
  std::vector<const char*> all;
  if (std::getenv("HEDDLE_PROGRAMS") == nullptr) return all;
  for (const char* build : {"gcc.O0", "gcc.O2", "clang.O0", "clang.O2", "clang19.O0", "clang19.O2"}) {
    const std::string path = std::string(std::getenv("HEDDLE_PROGRAMS")) + "/program." + build;
    if (FILE* file = std::fopen(path.c_str(), "r")) {
      std::fclose(file);
      all.push_back(build);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Builds, AccessTest, testing::ValuesIn(builds()), [](const auto& each) {
  std::string name = each.param;
  name[name.find('.')] = '_';
  return name;
});

}  // namespace
}  // namespace heddle::test
