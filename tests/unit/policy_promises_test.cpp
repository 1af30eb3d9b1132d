// What each policy promises: PCT's probability, SURW's uniform sample, exact schedules of the dispatch queue and of delays.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "policy/director.h"
#include "search/profile.h"
#include "toy/kernels.h"
#include "trace/enabled.h"

namespace heddle::test {
namespace {

std::string threads_of(const Trace& trace) {
  std::string order;
  for (const Event& e : trace.events()) order += static_cast<char>('0' + e.thread);
  return order;
}

// The threads of the stores to one variable, in order.
std::string writers_of(const Trace& trace, ObjectId object) {
  std::string order;
  for (const Event& e : trace.events()) {
    if (e.object == object) order += static_cast<char>('0' + e.thread);
  }
  return order;
}

ObjectId variable(const toy::Program& program) {
  const Trace seen = program.run({});
  for (const Event& e : seen.events()) {
    if (e.op == Op::kStore) return e.object;
  }
  return kNoObject;
}

// Pearson's statistic against the uniform distribution.
double chi_square(const std::map<std::string, size_t>& counts, size_t classes, size_t runs) {
  const double expected = static_cast<double>(runs) / static_cast<double>(classes);
  double sum = expected * static_cast<double>(classes - counts.size());  // those never seen
  for (const auto& [name, count] : counts)
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected) / expected;
  return sum;
}

toy::Program free_threads(std::vector<int> steps) {
  toy::Program p;
  p.together = true;
  for (int count : steps) p.bodies.push_back(std::vector<toy::Step>(static_cast<size_t>(count), toy::store(1, 0)));
  for (size_t i = 1; i < steps.size(); ++i) p.bodies[0].push_back(toy::join(static_cast<int>(i)));
  return p;
}

TEST(Fifo, ThreadsAlternateAtMarkedOperationsOnlyWhateverTheyDoBetween) {
  toy::Program program;
  program.together = true;
  // The second thread does more of its own work between its accesses to the shared variable.
  program.bodies = {
      {toy::store(1, 0), toy::store(1, 0), toy::store(1, 0), toy::store(1, 0), toy::join(1)},
      {toy::store(2, 0), toy::store(1, 0), toy::store(2, 0), toy::store(2, 0), toy::store(1, 0), toy::store(1, 0), toy::store(1, 0)}};
  const ObjectId shared = variable(program);
  Plan plan;
  plan.tail.kind = PolicyKind::kFifo;
  plan.marks = {shared};
  plan.tail.quantum = 1;
  EXPECT_EQ(writers_of(program.run(plan), shared), "01010101");
  plan.tail.quantum = 2;
  EXPECT_EQ(writers_of(program.run(plan), shared), "00110011");
  plan.tail.quantum = 3;
  EXPECT_EQ(writers_of(program.run(plan), shared), "00011101");
}

// Burckhardt et al. 2010, theorem 9: a bug of depth d is found with probability at least 1 / (n k^(d-1)).
TEST(Pct, FindsABugOfDepthDWithAtLeastTheProbabilityThatIsPromised) {
  struct Case {
    const char* name;
    toy::Program program;
    uint32_t depth;
  };
  for (const Case& c :
       {Case{"child_first", toy::child_first(), 1}, Case{"publish_first", toy::publish_first(), 2},
        Case{"lost_update", toy::lost_update(), 2}, Case{"two_locks", toy::two_locks(), 2}, Case{"double_fetch", toy::double_fetch(), 2},
        Case{"reorder_3", toy::reorder(3), 2}, Case{"ping_pong", toy::ping_pong(), 3}}) {
    uint64_t length = 0;
    size_t threads = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      Plan plan;
      plan.tail.kind = PolicyKind::kRandom;
      plan.tail.seed = seed;
      const Trace trace = c.program.run(plan);
      length = std::max<uint64_t>(length, trace.events().size());
      threads = std::max(threads, trace.threads().size());
    }
    constexpr size_t kRuns = 4000;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= kRuns; ++seed) {
      Plan plan;
      plan.tail.kind = PolicyKind::kPct;
      plan.tail.seed = mix(77, seed);
      plan.tail.depth = c.depth;
      plan.tail.length = length;
      found += is_failure(c.program.run(plan).outcome()) ? 1 : 0;
    }
    double bound = 1.0 / static_cast<double>(threads);
    for (uint32_t d = 1; d < c.depth; ++d) bound /= static_cast<double>(length);
    // double_fetch has exactly the probability of the bound: leave the sample three standard deviations.
    const double deviation = std::sqrt(bound * (1 - bound) / kRuns);
    EXPECT_GE(static_cast<double>(found) / kRuns, bound - 3 * deviation) << c.name;
  }
}

TEST(Surw, AllInterleavingsOfTheSelectedEventsAreEquallyLikely) {
  struct Case {
    toy::Program program;
    size_t interleavings;
    double critical;  // of chi-square at 0.001 for interleavings - 1 degrees of freedom
  };
  // 6!/(3! 3!), 7!/(5! 2!), 6!/(2! 2! 2!); the last with threads that main creates one by one.
  for (const Case& c :
       {Case{free_threads({3, 3}), 20, 43.82}, Case{free_threads({5, 2}), 21, 45.31}, Case{toy::shared_writers(3, 2), 90, 135.98}}) {
    const ObjectId object = variable(c.program);
    Profile profile;
    profile.add(c.program.run({}));
    const size_t runs = c.interleavings * 100;
    std::map<std::string, size_t> counts;
    for (uint64_t seed = 1; seed <= runs; ++seed) {
      Plan plan;
      plan.tail.kind = PolicyKind::kSurw;
      plan.tail.seed = mix(5, seed);
      plan.marks = {object};
      plan.weights = profile.weights(plan.marks);
      ++counts[writers_of(c.program.run(plan), object)];
    }
    EXPECT_EQ(counts.size(), c.interleavings);
    EXPECT_LT(chi_square(counts, c.interleavings, runs), c.critical);
  }
}

// Where the data is behind a lock, it is the orders of taking it that are equally likely.
TEST(Surw, AllOrdersOfTakingALockAreEquallyLikely) {
  std::vector<toy::Step> body;
  for (int i = 0; i < 3; ++i) {
    body.push_back(toy::lock(1));
    body.push_back(toy::unlock(1));
  }
  const toy::Program program = toy::threads({body, body});
  Profile profile;
  profile.add(program.run({}));
  ASSERT_EQ(profile.objects().size(), 1u);
  std::map<std::string, size_t> counts;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    Plan plan;
    plan.tail.kind = PolicyKind::kSurw;
    plan.tail.seed = mix(5, seed);
    plan.marks = {profile.objects()[0]};
    plan.weights = profile.weights(plan.marks);
    std::string order;
    const Trace trace = program.run(plan);
    for (const Event& e : trace.events()) {
      if (e.op == Op::kMutexLock) order += static_cast<char>('0' + e.thread);
    }
    ++counts[order];
  }
  EXPECT_EQ(counts.size(), 20u);
  EXPECT_LT(chi_square(counts, 20, 4000), 43.82);
}

TEST(Surw, APlainRandomWalkIsFarFromUniformOnTheSameProgram) {
  const toy::Program program = free_threads({5, 2});
  std::map<std::string, size_t> counts;
  for (uint64_t seed = 1; seed <= 2100; ++seed) {
    Plan plan;
    plan.tail.kind = PolicyKind::kRandom;
    plan.tail.seed = mix(5, seed);
    ++counts[writers_of(program.run(plan), variable(program))];
  }
  EXPECT_GT(chi_square(counts, 21, 2100), 200.0) << "or the test above could not fail";
}

// One thread does much on its own before the race, the other nothing.
toy::Program unequal_race() {
  std::vector<toy::Step> slow(30, toy::store(50, 1));
  slow.push_back(toy::store(1, 1));
  return toy::threads({slow, {toy::store(1, 2)}});
}

TEST(Race, ThreadsWaitForEachOtherAtTheMarkAndACoinDecides) {
  const toy::Program program = unequal_race();
  ObjectId object = kNoObject;
  const Trace seen = program.run({});
  for (const Event& e : seen.events()) {
    if (e.op == Op::kStore) object = e.object;
  }
  size_t slow_first = 0;
  size_t random_slow_first = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    Plan plan;
    plan.tail.kind = PolicyKind::kRace;
    plan.tail.seed = seed;
    plan.marks = {object};
    slow_first += writers_of(program.run(plan), object) == "12" ? 1 : 0;
    plan.tail.kind = PolicyKind::kRandom;
    random_slow_first += writers_of(program.run(plan), object) == "12" ? 1 : 0;
  }
  EXPECT_GT(slow_first, 430u);
  EXPECT_LT(slow_first, 570u);
  EXPECT_LT(random_slow_first, 10u) << "without the wait the slow thread loses";
}

TEST(Race, WhenAllWaitOneIsLetGo) {
  const toy::Program program = toy::safe_counter(3);
  std::vector<uint64_t> marks;
  const Trace seen = program.run({});
  for (const Event& e : seen.events()) marks.push_back(e.site);
  Plan plan;
  plan.tail.kind = PolicyKind::kRace;
  plan.marks = marks;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    plan.tail.seed = seed;
    EXPECT_EQ(program.run(plan).outcome().kind, OutcomeKind::kExit);
  }
}

TEST(Pos, EveryOrderOfRacingOperationsIsSampled) {
  const toy::Program program = toy::shared_writers(3, 1);
  std::map<std::string, size_t> counts;
  for (uint64_t seed = 1; seed <= 1200; ++seed) {
    Plan plan;
    plan.tail.kind = PolicyKind::kPos;
    plan.tail.seed = seed;
    ++counts[writers_of(program.run(plan), variable(program))];
  }
  EXPECT_EQ(counts.size(), 6u);
  // Yuan, Yang & Gu 2018, theorem 2: at least (1/n)^U for n threads and U races of an event with others: here (1/3)^2 x 1/2 and more.
  for (const auto& [order, count] : counts) EXPECT_GE(count, 1200u / 18) << order;
}

TEST(Fifo, PreemptsAtItsClockTimesAndQueuesInOrder) {
  const toy::Program program = free_threads({4, 3, 3});  // thread 0 joins; the others' exits are their fourth operations
  Plan plan;
  plan.tail.kind = PolicyKind::kFifo;
  EXPECT_EQ(threads_of(program.run(plan)),
            "0000111122220"
            "00");
  // Preempted before step 3: to the end of the queue, behind 1 and 2.
  plan.steps = {3};
  EXPECT_EQ(threads_of(program.run(plan)),
            "00"
            "1111"
            "2222"
            "00"
            "000");
  plan.steps = {3, 5};
  EXPECT_EQ(threads_of(program.run(plan)),
            "00"
            "11"
            "2222"
            "00"
            "11"
            "000");
}

TEST(Fifo, AQuantumIsAnEndlessListOfClockTimes) {
  const toy::Program program = free_threads({4, 3});
  Plan quantum;
  quantum.tail.kind = PolicyKind::kFifo;
  quantum.tail.quantum = 2;
  EXPECT_EQ(threads_of(program.run(quantum)).substr(0, 8), "00110011");
}

TEST(Delay, PassesOverTheThreadThatWouldRun) {
  const toy::Program program = free_threads({2, 1, 1});  // 1 and 2: a store and the exit
  Plan plan;
  plan.tail.kind = PolicyKind::kDelay;
  const std::string base = threads_of(program.run(plan));
  EXPECT_EQ(base.substr(0, 6), "001122");
  plan.steps = {1};
  EXPECT_EQ(threads_of(program.run(plan)).substr(0, 6), "112200");
  plan.steps = {1, 1};
  EXPECT_EQ(threads_of(program.run(plan)).substr(0, 6), "220011");
  plan.steps = {2};
  EXPECT_EQ(threads_of(program.run(plan)).substr(0, 6), "011220");
}

TEST(Policies, SameSeedSameRunAndAnotherSeedAnotherRun) {
  const toy::Program program = toy::shared_writers(3, 3);
  Profile profile;
  profile.add(program.run({}));
  for (PolicyKind kind : {PolicyKind::kRandom, PolicyKind::kPct, PolicyKind::kPos, PolicyKind::kSurw, PolicyKind::kRace}) {
    std::set<std::string> orders;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Plan plan;
      plan.tail.kind = kind;
      plan.tail.seed = seed;
      plan.tail.depth = 3;
      plan.tail.length = 25;
      plan.marks = {variable(program)};
      plan.weights = profile.weights(plan.marks);
      const Trace trace = program.run(plan);
      ASSERT_EQ(first_difference(trace, program.run(plan)), kNoDifference);
      orders.insert(threads_of(trace));
    }
    EXPECT_GT(orders.size(), 5u);
  }
}

// sched_yield() may return at once. A policy that never lets it misses what needs that; one that always does never ends a loop of yields.
TEST(Policies, AThreadThatYieldsGoesOnAtOnceInSomeRunsAndWaitsForOthersInMost) {
  toy::Program yields;
  yields.together = true;
  yields.bodies = {{toy::join(1), toy::join(2)}, {toy::yield(), toy::store(1, 1)}, {toy::store(1, 2)}};
  const toy::Program spins = toy::spin_flag();
  for (PolicyKind kind : {PolicyKind::kRandom, PolicyKind::kPct, PolicyKind::kPos, PolicyKind::kSurw, PolicyKind::kRace}) {
    size_t at_once = 0;
    size_t gave_way = 0;
    for (uint64_t seed = 1; seed <= 1000; ++seed) {
      Plan plan;
      plan.tail.kind = kind;
      plan.tail.seed = seed;
      plan.tail.depth = 2;
      plan.tail.length = 6;
      plan.tail.stay = seed % 2 * 60000;
      const std::string order = threads_of(yields.run(plan));
      at_once += order.starts_with("112") ? 1 : 0;
      gave_way += order.starts_with("12") ? 1 : 0;
      ASSERT_EQ(spins.run(plan).outcome().kind, OutcomeKind::kExit) << "policy " << static_cast<int>(kind) << ", seed " << seed;
    }
    EXPECT_GE(at_once, 10u) << "policy " << static_cast<int>(kind);
    EXPECT_GE(gave_way, 6 * at_once) << "policy " << static_cast<int>(kind);
  }
}

// The runtime counts those who can run, the toys do not: both must mean the same.
TEST(Director, DecidesTheSameWhetherTheAbleAreCountedOrNot) {
  size_t compared = 0;
  for (PolicyKind kind : {PolicyKind::kStay, PolicyKind::kRandom, PolicyKind::kPct, PolicyKind::kPos, PolicyKind::kTimeSlice}) {
    for (uint64_t draw = 1; draw <= 2000; ++draw) {
      uint64_t left = mix(draw, 1);
      const auto next = [&left](uint64_t bound) { return static_cast<uint32_t>((left = mix(left, 2)) % bound); };
      Plan plan;
      plan.tail.kind = kind;
      plan.tail.seed = draw;
      plan.tail.stay = next(2) * 40000;
      plan.tail.early = next(4) == 0 ? 1 : 0;
      const uint32_t count = 1 + next(5), current = next(count);
      std::vector<Candidate> threads;
      std::vector<uint32_t> able;
      for (uint32_t i = 0; i < count; ++i) {
        const auto ready = static_cast<Ready>(next(3));
        const bool gave_way = i == current && next(2) == 0;
        threads.push_back({i + 1, i, 5, Op::kStore, ready, gave_way, 1, 1, next(100), 5'000'000 + next(3)});
        if (ready == Ready::kYes && !gave_way) able.push_back(i);
      }
      PointView view{threads.data(), count, current, draw, 4'000'000};
      const std::vector<std::byte> block = encode(plan);
      const auto decide = [&] {
        std::vector<PolicyThread> memory(count);
        Director director;
        director.install(PlanView::over(block.data()), memory.data(), 0);
        return director.next(view);
      };
      const Decision long_way = decide();
      view.able = able.data();
      view.able_count = static_cast<uint32_t>(able.size());
      const Decision short_way = decide();
      ASSERT_EQ(long_way.verdict, short_way.verdict);
      ASSERT_EQ(long_way.index, short_way.index) << "policy " << static_cast<int>(kind) << ", draw " << draw;
      compared += !able.empty() && long_way.verdict == Verdict::kRun ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 5000u);
}

TEST(Director, AStrictReplayOfAnyRunIsThatRun) {
  for (const toy::Kernel& kernel : toy::buggy_kernels()) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      Plan plan;
      plan.tail.kind = PolicyKind::kRandom;
      plan.tail.seed = seed;
      const Trace trace = kernel.program.run(plan);
      const Trace again = kernel.program.run(plan_of(trace));
      std::string why;
      EXPECT_EQ(first_difference(trace, again, &why), kNoDifference) << kernel.name << ": " << why;
    }
  }
}

}  // namespace
}  // namespace heddle::test
