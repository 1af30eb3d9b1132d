#include "simplify/thread_graph.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

using simplify::ThreadGraph;

Event event(uint32_t thread, uint32_t number, Op op, ObjectId object, uint16_t flags = 0) {
  Event e{};
  e.thread = thread;
  e.number = number;
  e.op = op;
  e.object = object;
  e.flags = flags;
  return e;
}

Trace trace_of(uint32_t threads, LongRows<Event> events) {
  Trace::Data data;
  for (uint32_t i = 0; i < threads; ++i) {
    Thread t;
    t.id = i == 0 ? kMainThread : child_thread(kMainThread, i);
    t.birth = i;
    data.threads.push_back(t);
  }
  data.events = std::move(events);
  return Trace(std::move(data));
}

constexpr ObjectId kThing = make_object(ObjectKind::kGlobal, 0, 64);

TEST(ThreadGraph, relevance_follows_chains_of_the_wanted_kinds) {
  ThreadGraph graph;
  graph.add(1, 2, simplify::kByMemory);
  graph.add(2, 3, simplify::kByEvent);
  graph.add(4, 3, simplify::kByFile);
  graph.add(3, 5, simplify::kByMemory);
  graph.add(3, 3, simplify::kByMemory);
  EXPECT_EQ(graph.edges().size(), 4u);
  EXPECT_EQ(graph.relevant({3}, 6, simplify::kByMemory | simplify::kByEvent), (std::vector<bool>{false, true, true, true, false, false}));
  EXPECT_EQ(graph.relevant({3}, 6, simplify::kByMemory), (std::vector<bool>{false, false, false, true, false, false}));
}

TEST(ThreadGraph, who_is_let_in_depends_on_who_let_it_in) {
  const Trace trace = trace_of(4, {event(1, 1, Op::kSemPost, kThing), event(2, 1, Op::kSemPost, kThing), event(3, 1, Op::kSemWait, kThing),
                                   event(3, 2, Op::kSemTryWait, kThing, kFailed)});
  ThreadGraph graph;
  add_event_edges(trace, graph);
  EXPECT_EQ(graph.edges().count({1, 3}), 1u);
  EXPECT_EQ(graph.edges().count({2, 3}), 0u) << "its post was not taken";
  EXPECT_EQ(graph.edges().count({0, 3}), 1u) << "it was created by main";
}

TEST(ThreadGraph, a_lock_alone_is_no_dependence) {
  const Trace trace = trace_of(3, {event(1, 1, Op::kMutexLock, kThing), event(1, 2, Op::kMutexUnlock, kThing),
                                   event(2, 1, Op::kMutexLock, kThing), event(2, 2, Op::kMutexUnlock, kThing)});
  ThreadGraph graph;
  add_event_edges(trace, graph);
  EXPECT_EQ(graph.edges().count({1, 2}), 0u);
}

TEST(ThreadGraph, a_wait_that_times_out_was_woken_by_nobody) {
  const Trace trace = trace_of(3, {event(2, 1, Op::kCondTimedWait, kThing), event(1, 1, Op::kCondSignal, kThing),
                                   event(2, 2, Op::kCondTimedReacquire, kThing, kTimedOut)});
  ThreadGraph graph;
  add_event_edges(trace, graph);
  EXPECT_EQ(graph.edges().count({1, 2}), 0u);
}

// A removed thread takes its children with it, and its slices; the others keep their numbers.
TEST(ThreadGraph, the_schedule_without_a_thread) {
  const Trace trace = trace_of(3, {event(0, 1, Op::kThreadStart, kThing), event(1, 1, Op::kThreadStart, kThing),
                                   event(2, 1, Op::kThreadStart, kThing), event(0, 2, Op::kYield, kNoObject)});
  const Plan plan = simplify::without_threads(trace, {false, true, false}, {});
  for (const Slice& slice : plan.slices) EXPECT_NE(slice.thread, trace.threads()[1].id);
  ASSERT_EQ(plan.skips.size(), 1u);
  EXPECT_EQ(plan.skips.front().thread, trace.threads()[1].id);
}

}  // namespace
}  // namespace heddle::test
