// Enabled sets and happens-before, rebuilt from traces: checked against what the runs themselves recorded and against brute force.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "effort.h"
#include "search/find.h"
#include "toy/kernels.h"
#include "trace/enabled.h"
#include "trace/happens_before.h"

namespace heddle::test {
namespace {

std::vector<Trace> random_traces(const toy::Program& program, size_t count, uint32_t stay = 0) {
  std::vector<Trace> traces;
  for (size_t i = 0; i < count; ++i) {
    Plan plan;
    plan.tail.kind = PolicyKind::kRandom;
    plan.tail.seed = i + 1;
    plan.tail.stay = stay;
    traces.push_back(program.run(plan));
  }
  return traces;
}

std::vector<toy::Kernel> all_kernels() {
  std::vector<toy::Kernel> all = toy::buggy_kernels();
  for (toy::Kernel& k : toy::correct_kernels()) all.push_back(std::move(k));
  return all;
}

TEST(Enabled, AgreesWithTheFlagsThatRunsRecordAtTheirSwitches) {
  for (const toy::Kernel& kernel : all_kernels()) {
    for (const Trace& trace : random_traces(kernel.program, 30)) {
      EnabledWalk walk(trace);
      for (; !walk.done(); walk.advance()) {
        const size_t p = walk.position();
        const Event& e = trace.events()[p];
        ASSERT_TRUE(walk.live(e.thread)) << kernel.name;
        if (p == 0 || trace.events()[p - 1].thread == e.thread) continue;
        const uint32_t previous = trace.events()[p - 1].thread;
        if (!walk.live(previous)) {
          ASSERT_EQ(e.flags & (kPreviousReady | kPreviousReadyByTimeout), 0);
          continue;
        }
        const PendingOperation pending_operation = walk.pending_operation(previous);
        if (pending_operation.ready == Ready::kUnknown) continue;
        ASSERT_EQ((e.flags & kPreviousReady) != 0, pending_operation.ready == Ready::kYes) << kernel.name << " event " << p;
        ASSERT_EQ((e.flags & kPreviousReadyByTimeout) != 0, pending_operation.ready == Ready::kTimeout) << kernel.name << " event " << p;
      }
      // At the end nobody is enabled in a deadlock.
      if (trace.outcome().kind != OutcomeKind::kDeadlock) continue;
      for (const PendingOperation& s : walk.pending_operations()) EXPECT_EQ(s.ready, Ready::kNo) << kernel.name;
    }
  }
}

TEST(Enabled, EveryThreadItCallsEnabledCanReallyRun) {
  for (const toy::Kernel& kernel : all_kernels()) {
    for (const Trace& trace : random_traces(kernel.program, repetitions(4))) {
      EnabledWalk walk(trace);
      for (; !walk.done(); walk.advance()) {
        const size_t p = walk.position();
        for (const PendingOperation& s : walk.pending_operations()) {
          if (s.ready != Ready::kYes && s.ready != Ready::kNo) continue;
          Plan plan;
          for (size_t i = 0; i < p; ++i) {
            const Event& e = trace.events()[i];
            if ((e.flags & kChoice) != 0) plan.choices.push_back({trace.thread_id(e), e.number, e.value});
            plan.slices.push_back({trace.thread_id(e), e.number});
          }
          plan.sort_choices();
          plan.slices.push_back({trace.threads()[s.thread].id, s.number});
          plan.strictness = Strictness::kStrict;
          const Trace run = kernel.program.run(plan);
          const bool ran = run.outcome().kind != OutcomeKind::kDiverged;
          ASSERT_EQ(ran, s.ready == Ready::kYes) << kernel.name << " position " << p << " thread " << s.thread;
          if (ran) {
            EXPECT_EQ(run.events()[p].op, s.op);
            EXPECT_EQ(run.events()[p].object, s.object);
          }
        }
      }
    }
  }
}

TEST(Enabled, WaitersAreThoseInTheQueue) {
  const Trace trace = toy::two_waiters().run({});
  EnabledWalk walk(trace);
  size_t most = 0;
  for (; !walk.done(); walk.advance()) {
    const Event& e = trace.events()[walk.position()];
    if (e.op != Op::kCondSignal) continue;
    most = std::max(most, walk.waiters(e.object).size());
  }
  EXPECT_EQ(most, 2u);
}

TEST(HappensBefore, CreationAndJoinOrderAllOfAThread) {
  const Trace trace = toy::independent(2, 2).run({});
  const HappensBefore order(trace, Edges::kMust);
  const auto events = trace.events();
  for (size_t i = 0; i < events.size(); ++i) {
    for (size_t j = i + 1; j < events.size(); ++j) {
      if (events[i].op == Op::kStore && events[j].op == Op::kStore && events[i].thread != events[j].thread) {
        EXPECT_TRUE(order.concurrent(i, j));
      }
      if (events[i].op == Op::kThreadCreate && events[j].object == events[i].object) {
        EXPECT_TRUE(order.before(i, j));
      }
      if (events[j].op == Op::kThreadJoin && events[i].op == Op::kThreadExit && events[i].object == events[j].object) {
        EXPECT_TRUE(order.before(i, j));
      }
    }
  }
}

TEST(HappensBefore, LocksOrderWhatTheyGuardUnlessOneAsksOnlyForWhatMustBe) {
  const Trace trace = toy::safe_counter(2).run({});
  const HappensBefore locks(trace, Edges::kLocks);
  const HappensBefore must(trace, Edges::kMust);
  const auto events = trace.events();
  size_t seen = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    for (size_t j = i + 1; j < events.size(); ++j) {
      if (events[i].op != Op::kStore || events[j].op != Op::kLoad || events[i].thread == events[j].thread || events[j].thread == 0)
        continue;
      ++seen;
      EXPECT_TRUE(locks.before(i, j));
      EXPECT_TRUE(must.concurrent(i, j));
    }
  }
  EXPECT_EQ(seen, 1u);
  // So the only pair to turn round is that of the two requests for the lock.
  for (const EventPair& pair : reversible_conflicts(trace)) {
    EXPECT_EQ(events[pair.first].op, Op::kMutexLock);
    EXPECT_EQ(events[pair.second].op, Op::kMutexLock);
  }
  EXPECT_EQ(reversible_conflicts(trace).size(), 1u);
}

TEST(HappensBefore, TheOrderHashNamesExactlyTheOrdersOfConflictingOperations) {
  // Two threads of two writes each to one variable: every interleaving is an order of its own. To variables of their own: all are one.
  struct Case {
    toy::Program program;
    size_t orders;
  };
  // Main stands in its joins, so that only the writers' orders count: 4! / (2! 2!) = 6.
  for (const Case& c : {Case{toy::shared_writers(2, 2), 6}, Case{toy::independent(3, 2), 1}}) {
    std::set<uint64_t> hashes;
    for (const Trace& trace : random_traces(c.program, 400)) hashes.insert(order_hash(trace));
    EXPECT_EQ(hashes.size(), c.orders);
  }
}

TEST(HappensBefore, EqualHashesMeanEqualReadsAndOutcome) {
  for (const toy::Kernel& kernel : all_kernels()) {
    std::map<uint64_t, std::vector<std::vector<uint64_t>>> seen;
    for (const Trace& trace : random_traces(kernel.program, 200)) {
      std::vector<std::vector<uint64_t>> values(trace.threads().size());
      for (const Event& e : trace.events()) values[e.thread].push_back(e.value);
      std::map<ThreadId, std::vector<uint64_t>> by_name;
      for (size_t t = 0; t < values.size(); ++t) by_name[trace.threads()[t].id] = values[t];
      std::vector<std::vector<uint64_t>> flat;
      for (auto& [id, v] : by_name) flat.push_back(std::move(v));
      flat.push_back({static_cast<uint64_t>(trace.outcome().kind)});
      const auto [it, fresh] = seen.try_emplace(order_hash(trace), flat);
      if (!fresh) {
        ASSERT_EQ(it->second, flat) << kernel.name;
      }
    }
  }
}

TEST(HappensBefore, ReadsFromTheLastWrite) {
  const Trace trace = toy::publish_first().run({});
  for (const ReadsFrom& pair : reads_from(trace)) {
    ASSERT_NE(pair.write, kNoWrite);
    EXPECT_EQ(trace.events()[pair.write].object, trace.events()[pair.read].object);
    EXPECT_EQ(trace.events()[pair.write].value, trace.events()[pair.read].value);
  }
  EXPECT_EQ(reads_from(trace).size(), 2u);
}

}  // namespace
}  // namespace heddle::test
