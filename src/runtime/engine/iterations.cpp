#include "runtime/engine/iterations.h"

#include <string.h>

#include "runtime/base/placement.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"

int heddle_statements = 0;

namespace heddle::rt {

namespace {

// A text may lie in several places: once in each module, and in both copies of a function.
struct NamedLoop {
  const char* place;
  LoopId id;
};
constexpr uint32_t kNamedLoops = 2 * kMaxLoops;
HEDDLE_APART NamedLoop g_named_loops[kNamedLoops];
uint32_t g_named_loop_count;

struct Counter {
  LoopId loop;  // 0: free
  uint32_t thread;
  uint64_t number;  // iterations begun, or left out
};
constexpr uint32_t kCounters = 1 << 17;
HEDDLE_APART Counter g_counters[kCounters];
uint32_t g_counter_count;

HEDDLE_APART LoopId g_shown_loops[2 * kMaxLoops];  // those in the trace's table

// 0: there are too many.
LoopId loop_at(const char* place) {
  const uint64_t hash = mix(reinterpret_cast<uintptr_t>(place), 1);
  for (uint32_t i = 0; i < kNamedLoops; ++i) {
    NamedLoop& loop = g_named_loops[(hash + i) % kNamedLoops];
    if (loop.place == place) return loop.id;
    if (loop.place != nullptr) continue;
    if (++g_named_loop_count > kMaxLoops) break;
    loop = {place, loop_named(place)};
    return loop.id;
  }
  g_named_loop_count = kMaxLoops;
  return 0;
}

// The same of a statement. It may begin where a loop does: it has another name, and so a counter of its own.
LoopId statement_at(const char* place) {
  const LoopId loop = loop_at(place);
  return loop != 0 ? mix(loop, 2) | 1 : 0;
}

Counter* counter_of(LoopId loop, uint32_t thread) {
  const uint64_t hash = mix(loop, thread);
  for (uint32_t i = 0; i < kCounters; ++i) {
    Counter& counter = g_counters[(hash + i) % kCounters];
    if (counter.loop == loop && counter.thread == thread) return &counter;
    if (counter.loop != 0) continue;
    if (g_counter_count >= kCounters / 2) return nullptr;
    ++g_counter_count;
    counter = {loop, thread, 0};
    return &counter;
  }
  return nullptr;
}

// Lists the loop in the trace, once.
void show(LoopId loop, const char* place) {
  constexpr uint32_t kSlots = 2 * kMaxLoops;
  uint32_t at = static_cast<uint32_t>(loop >> 1) % kSlots;
  for (; g_shown_loops[at] != 0; at = (at + 1) % kSlots) {
    if (g_shown_loops[at] == loop) return;
  }
  if (g_run.header->loop_count >= kMaxLoops) return;
  g_shown_loops[at] = loop;
  LoopRow& row = reinterpret_cast<LoopRow*>(g_run.slot + g_run.layout.loops)[g_run.header->loop_count++];
  row.id = loop;
  const size_t length = strlen(place);
  const size_t most = sizeof row.place - 1;
  const char* from = length > most ? place + (length - most) : place;
  memcpy(row.place, from, strlen(from) + 1);
}

IterationRow* rows() { return reinterpret_cast<IterationRow*>(g_run.slot + g_run.layout.iterations); }

void write_down(const IterationRow& row) {
  if (g_run.header->iteration_count >= kMaxIterations) {
    ++g_run.header->iterations_lost;
    return;
  }
  rows()[g_run.header->iteration_count] = row;
  ++g_run.header->iteration_count;
}

// The row of this thread and loop that was written last, if the thread has done nothing since.
IterationRow* still_open(const ThreadSlot& me, LoopId loop) {
  if (g_run.header->iteration_count == 0) return nullptr;
  IterationRow* last = &rows()[g_run.header->iteration_count - 1];
  return last->thread == me.index && last->loop == loop && last->after == me.operations && last->count != 0 ? last : nullptr;
}

StatementMark g_statement_mark;

bool marks_statements() { return (g_run.plan.header->detect & kDetectStatements) != 0; }

// A store each: what watches the run sees them in this order.
void mark_statement(LoopId statement, uint64_t number, uint64_t state) {
  auto* mark = const_cast<volatile StatementMark*>(&g_statement_mark);
  mark->statement = statement;
  mark->number = number;
  mark->state = uint64_t{g_current->operations} * 4 + state;
}

bool wanted() { return (g_run.plan.header->detect & kDetectIterations) != 0; }

}  // namespace

bool begin_iteration(const char* place, const void* pc) {
  const LoopId loop = loop_at(place);
  if (loop == 0) return true;
  Counter* counter = counter_of(loop, g_current->index);
  if (counter == nullptr) return true;
  ++counter->number;
  // Before the first thread all runs are one, which the server has made.
  if (!g_run.claimed) return true;
  ThreadSlot* me = g_current;
  if (__builtin_expect(marks_statements(), 0)) mark_statement(loop, counter->number, kStatementIteration);
  if (g_run.director.skips(SkipKind::kIteration, me->id, loop, counter->number)) return false;
  if (__builtin_expect(wanted(), 0)) {
    show(loop, place);
    IterationRow* last = still_open(*me, loop);
    if (last != nullptr && last->number + last->count == counter->number) {
      ++last->count;
    } else {
      write_down({me->index, me->operations, loop, counter->number, 1});
    }
  }
  if (g_run.plan.header->points == PointKind::kFunctions) {  // a back edge (Choi & Zeller 3.1)
    Pending p{};
    p.op = Op::kLoopIteration;
    p.site = caller_site(pc);
    p.value = counter->number;
    point(p);
  }
  return true;
}

void end_iteration(const char* place) {
  if (!g_run.claimed || !wanted()) return;
  const LoopId loop = loop_at(place);
  const Counter* counter = loop != 0 ? counter_of(loop, g_current->index) : nullptr;
  if (counter == nullptr || still_open(*g_current, loop) != nullptr) return;
  write_down({g_current->index, g_current->operations, loop, counter->number, 0});
}

bool begin_statement(const char* place) {
  if (!g_run.claimed) return true;
  const LoopId statement = statement_at(place);
  Counter* counter = statement != 0 ? counter_of(statement, g_current->index) : nullptr;
  if (counter == nullptr) return true;
  ++counter->number;
  const bool left_out = g_run.director.skips(SkipKind::kStatement, g_current->id, statement, counter->number);
  if (!marks_statements()) return !left_out;
  show(statement, place);
  g_run.header->statement_mark = reinterpret_cast<uintptr_t>(&g_statement_mark);
  mark_statement(statement, counter->number, left_out ? kStatementLeftOut : kStatementBegins);
  return !left_out;
}

void end_statement(const char* place) {
  if (!g_run.claimed || !marks_statements()) return;
  const LoopId statement = statement_at(place);
  const Counter* counter = statement != 0 ? counter_of(statement, g_current->index) : nullptr;
  if (counter != nullptr) mark_statement(statement, counter->number, kStatementEnds);
}

}  // namespace heddle::rt
