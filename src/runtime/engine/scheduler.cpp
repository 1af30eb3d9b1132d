#include "runtime/engine/scheduler.h"

#include <stdio.h>

#include "runtime/base/check.h"
#include "runtime/engine/candidates.h"
#include "runtime/engine/carrier.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/cycles.h"
#include "runtime/engine/due.h"
#include "runtime/engine/event_stacks.h"
#include "runtime/engine/model.h"
#include "runtime/engine/names.h"
#include "runtime/engine/ready_log.h"
#include "runtime/engine/repeated_state.h"
#include "runtime/engine/spin.h"
#include "runtime/engine/strange_threads.h"
#include "runtime/engine/thread_signals.h"
#include "runtime/engine/upward.h"

namespace heddle::rt {

bool g_goes_on;

namespace {

// One event is this much virtual time: a wait of a millisecond is over after a thousand steps of others.
constexpr uint64_t kTickNs = 1000;
// Events in a row that only yield, poll and time out before a state that repeats itself is called a livelock.
constexpr uint64_t kLivelockSteps = 5000;
static_assert(kAskFrom < kLivelockSteps);

// Looks at a plan's blocked thread that waits for somebody outside, before the run counts as diverged; and how long each may take. Nobody
// is waited for who would only send a signal.
constexpr int kReplayPatience = 1000;
constexpr uint64_t kReplayWaitNs = 1000000000;

// Events after a long turn in which everybody who can run takes turns: enough for somebody to come to the lock that the long turn was about,
// and to get it.
constexpr uint64_t kSharedSteps = 500;

// A try that fails this often in a row at the same place is a spin loop.
constexpr uint32_t kSpinTries = 3;

// What the policies see now. Only the thread that ran last may have another next operation; of the others, who can go on is asked anew.
PointView look(bool current_lives) {
  if (current_lives) update_candidate(*g_current);
  uint32_t able = 0;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const bool open = *g_live[i].gate.word == 0;
    Ready can = open ? Ready::kYes : Ready::kNo;
    if (__builtin_expect(!open & !g_live[i].gate.exact, 0)) can = ready(g_threads[g_live[i].slot]);
    g_candidates[i].ready = can;
    g_able[able] = i;
    able += static_cast<uint32_t>(can == Ready::kYes) & static_cast<uint32_t>(!g_candidates[i].gave_way);
  }
  return {g_candidates, g_live_count, current_lives ? g_current->place : kNobody, g_run.step + 1, g_run.clock, g_able, able};
}

bool anybody_ready(const PointView& m) {
  // Only the thread that ran last can have given way.
  return m.able_count != 0 || (m.current != kNobody && m.threads[m.current].ready == Ready::kYes);
}

// May what this operation does, or what has happened outside by now, let somebody proceed who waits for a descriptor?
bool brings_news(Op op) {
  constexpr uint64_t kLookAnyway = 64;  // events; calls that nobody sees may have done something
  const Family family = row(op).family;
  return family == Family::kDescriptors || family == Family::kSignals || family == Family::kProcesses || g_run.step % kLookAnyway == 0;
}

// Where the clock has moved on, before anybody is asked who can go on: a replay moves its clock there, too, and at once.
bool fire_due_timers() { return g_run.clock >= g_next_timer && !g_virtual_time && kUpward.fire_timers(); }

// Nobody can go on by itself: lets time or the world outside act. True if there is something new.
bool something_new(const PointView& m) {
  uint64_t deadline = UINT64_MAX;
  for (uint32_t i = 0; i < m.count; ++i) {
    if (m.threads[i].ready == Ready::kYes) return false;
    if (m.threads[i].ready == Ready::kTimeout && m.threads[i].deadline < deadline) deadline = m.threads[i].deadline;
  }
  if (g_attention != 0 && kUpward.hand_out_arrived()) return true;
  // On the machine's clock the wait for a timer ends when its time has come, and the next look finds that here.
  if (g_run.clock >= g_next_timer) return kUpward.fire_timers();
  if (kUpward.wait_for_outside(g_next_timer < deadline ? g_next_timer : deadline)) {
    if (fire_due_timers()) ++g_nobody_ready;
    return true;
  }
  if (g_next_timer == kNoTimer || g_next_timer > deadline) return false;
  wait_until(g_next_timer);
  return kUpward.fire_timers();
}

bool waited(const PointView& m) {
  ++g_nobody_ready;  // what was asked before a timer fired, say, is not the answer now
  if (!something_new(m)) return false;
  if (g_virtual_time) ++g_nobody_ready;
  ++g_descriptor_news;
  kUpward.redirect(g_current);
  return true;
}

[[noreturn]] void stuck() {
  // No verdict by the short form alone.
  for (uint32_t i = 0; i < g_live_count; ++i) HEDDLE_CHECK(!g_live[i].gate.exact || ready(g_threads[g_live[i].slot]) == Ready::kNo);
  report_cycle();
  if (kUpward.awaits_outside()) end_run(OutcomeKind::kExternalWait, 0, "every thread waits for something outside the program");
  if (had_strange_thread())
    end_run(OutcomeKind::kExternalWait, 0, "every thread waits, and the program made one that is not under control");
  end_run(OutcomeKind::kDeadlock, 0, "no thread can run");
}

void let_time_pass() {
  uint64_t earliest = UINT64_MAX;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    if (ready(t) == Ready::kTimeout && t.pending.deadline < earliest) earliest = t.pending.deadline;
  }
  if (earliest != UINT64_MAX) wait_until(earliest);
}

// A program before its first thread, or a shell on the way to one: there is nothing to decide, and of a shell the plan says nothing.
ThreadSlot* decide_alone() {
  PointView view = look(true);
  while (!anybody_ready(view) && waited(view)) view = look(true);
  const Ready can = ready(*g_current);
  if (can == Ready::kNo) stuck();
  if (can == Ready::kTimeout) wait_until(g_current->pending.deadline);
  return g_current;
}

// Its time-out fires although others could run: a replay must be told. The other timed operations see that they have timed out and record
// it themselves; a sleep always does.
void ends_early(ThreadSlot* t) {
  t->pending.flags |= kEarly;
  const uint64_t early_us = (t->pending.deadline - g_run.clock) / 1000;
  if (t->pending.deadline > g_run.clock) t->pending.size = early_us < UINT32_MAX ? static_cast<uint32_t>(early_us) : UINT32_MAX;
  if (t->pending.op != Op::kSleep) return;
  t->pending.flags |= kTimedOut | kChoice;
  t->pending.value = kChoiceTimeout;
}

bool ends_turn() {
  if (__builtin_expect(g_run.step < g_run.turn.end, 1)) return false;
  if (g_run.step - g_run.turn.end >= kSharedSteps) begin_turn();
  return g_run.director.in_tail();
}

// Who executes the next event. Ends the run where nobody can.
ThreadSlot* decide(bool current_lives) {
  // Somebody sleeps for too long: everybody takes turns for a while, as after a long turn.
  if (g_run.step >= g_clock_step && time_passes() && g_run.director.in_tail()) g_run.turn.end = g_run.step;
  if (__builtin_expect(g_run.clock >= g_next_timer, 0)) {
    fire_due_timers();
    if (current_lives) kUpward.redirect(g_current);
  }
  if (!g_run.claimed && g_live_count == 1 && current_lives) return decide_alone();
  const uint64_t still = g_run.step - g_run.progress.last_motion;
  if (__builtin_expect(still >= kIdleSteps, 0)) {
    g_run.idled = true;
    if (still % kIdleSteps == 0 && g_virtual_time) let_time_pass();
  }
  PointView view = look(current_lives);
  if (!anybody_ready(view)) {
    ++g_descriptor_news;
    if (g_virtual_time) ++g_nobody_ready;  // else the wait for the world finds what has come meanwhile
    view = look(current_lives);
    while (!anybody_ready(view) && waited(view)) view = look(current_lives);
  }
  const bool fair = still >= kIdleSteps || ends_turn();
  Decision decision = g_run.director.next(view, fair);
  if (decision.verdict == Verdict::kDiverged) {
    ++g_descriptor_news;
    view = look(current_lives);
    decision = g_run.director.next(view, fair);
  }
  // The plan wants a thread that waits for somebody outside, who may be slower this time.
  for (int tries = 0;
       decision.verdict == Verdict::kDiverged && tries < kReplayPatience && kUpward.wait_for_outside(g_run.clock + kReplayWaitNs);
       ++tries) {
    kUpward.redirect(g_current);
    ++g_descriptor_news;
    view = look(current_lives);
    decision = g_run.director.next(view, fair);
  }
  if (decision.verdict == Verdict::kDiverged) end_run(OutcomeKind::kDiverged, 0, decision.reason);
  if (decision.verdict == Verdict::kStuck) stuck();
  const Candidate& chosen = g_candidates[decision.index];
  g_run.turn.switch_flags = 0;
  if (view.current != kNobody) {
    const Candidate& current = g_candidates[view.current];
    if (current.ready == Ready::kNo) look_for_cycle(*g_current);
    if (current.ready == Ready::kYes) g_run.turn.switch_flags |= kPreviousReady;
    if (current.ready == Ready::kTimeout) g_run.turn.switch_flags |= kPreviousReadyByTimeout;
  }
  ThreadSlot* next = &g_threads[chosen.slot];
  if (chosen.ready == Ready::kTimeout) {
    // Before another's, whose time comes first, is early, too.
    if (anybody_ready(view) || view.threads[earliest_deadline(view)].deadline < chosen.deadline) ends_early(next);
    wait_until(next->pending.deadline);
  }
  return next;
}

bool is_livelock() { return g_run.step - g_run.progress.last > kLivelockSteps && state_has_repeated(); }

[[noreturn]] void reach_limit() {
  if (g_run.step - g_run.progress.last <= kLivelockSteps) end_run(OutcomeKind::kLimit, 0, "the limit of events is reached");
  char text[200];
  snprintf(text, sizeof text, "the limit of events is reached: the threads only wait, but %s, so that no livelock is proved",
           why_not_repeated());
  end_run(OutcomeKind::kLimit, 0, text);
}

void check_limits() {
  const bool livelock = is_livelock();
  if (livelock || g_run.step >= g_run.event_limit) report_cycle();
  if (livelock) end_run(OutcomeKind::kLivelock, 0, "threads only yield, poll and time out");
  if (g_run.step >= g_run.event_limit && !outlived_cycle()) reach_limit();
}

bool is_idle(const Event& e) { return has(e.op, kYields) || (e.flags & (kFailed | kTimedOut | kSpin)) != 0; }

// A thread that goes round at a few places has to give way some time: whatever it waits for, others do it. That is no preemption, but an
// iteration of a loop that waits. Whether anybody can run is not asked: the run must be the same again, and of those who wait for somebody outside
// that cannot be said.
bool circles(ThreadSlot* t, SiteId site, bool same_turn) {
  constexpr uint32_t kLong = 5000, kAgain = 200;  // events
  Circling& c = t->circling;
  if (!same_turn) c.events = 0;
  uint32_t i = 0;
  while (i < c.known && c.places[i] != site) ++i;
  if (i == c.known) {
    if (c.gave_way || c.known == Circling::kPlaces) c = {};
    c.places[c.known++] = site;
  }
  if (++c.events < (c.gave_way ? kAgain : kLong)) return false;
  c.events = 0;
  c.gave_way = g_live_count > 1;
  return c.gave_way;
}

Event* record(ThreadSlot* t) {
  static Event overflow;
  // After an event that was progress there is no livelock.
  const bool idles = g_run.step != g_run.progress.last;
  if (__builtin_expect(g_logging_ready, 0)) log_ready();
  if (__builtin_expect(g_run.step >= g_run.event_limit || (idles && is_livelock()), 0)) check_limits();
  if (__builtin_expect(g_run.step >= g_run.mapped, 0)) map_more_events();
  Event* e = g_run.step < g_run.capacity ? &g_run.events[g_run.step & g_run.ring] : &overflow;
  const Pending& p = t->pending;
  e->thread = t->index;
  e->number = ++t->operations;
  e->op = p.op;
  e->flags = static_cast<uint16_t>(p.flags | (g_run.exiting ? kExiting : 0));
  if (__builtin_expect(circles(t, p.site, t->index == g_run.turn.last_thread), 0)) e->flags |= kSpin;
  if (t->index != g_run.turn.last_thread) {
    e->flags = static_cast<uint16_t>(e->flags | g_run.turn.switch_flags);
    if (g_run.step < g_run.turn.end) begin_turn();
  }
  e->size = p.size;
  e->object = p.object;
  e->site = p.site;
  e->value = p.value;
  ++g_run.step;
  if (__builtin_expect(g_virtual_time, 1)) {
    g_run.clock += kTickNs;
    t->used += kTickNs;
  }
  g_run.turn.last_thread = t->index;
  g_run.turn.switch_flags = 0;
  g_run.progress.before = g_run.progress.last;
  g_run.progress.motion_before = g_run.progress.last_motion;
  if (!is_idle(*e) || has(e->op, kTimed)) g_run.progress.last_motion = g_run.step;
  if (is_idle(*e)) {
    t->gave_way = has(e->op, kYields) || (e->flags & kSpin) != 0;
    if (has(e->op, kYields)) reads_idled(*t);
  } else {
    t->gave_way = false;
    g_run.progress.last = g_run.step;
  }
  t->last_step = g_run.step;
  if (__builtin_expect(brings_news(e->op), 0)) ++g_descriptor_news;
  if (e == &overflow) {
    g_run.header->truncated = 1;
  } else {
    g_run.header->event_count = g_run.step;
  }
  g_run.header->executed = g_run.step;
  if (__builtin_expect(g_detecting, 0)) kUpward.race_event(*t);
  if (__builtin_expect(g_keeping_stacks, 0)) keep_stack(*e);
  return e;
}

// The run is over and this thread was woken only to say where it stands.
[[noreturn]] void hand_in_stack(ThreadSlot* me) {
  ThreadRow& r = g_run.rows[me->index];
  capture_stack(r.stack, sizeof r.stack / sizeof r.stack[0], &r.stack_size, 2);
  switch_to(g_run.collector);
  check_failed("a thread ran after the end of the run", __FILE__, __LINE__);
}

// While the thread waited to execute `pending`, a signal came: takes it. Does the wait go on?
bool waits_on(ThreadSlot* me, const Pending& pending, const Event& taken) {
  kUpward.run_delivery(me, taken);
  if (me->cancel.under_way) return false;
  return pending.interrupt == Interrupt::kNever || (pending.interrupt == Interrupt::kUnlessRestart && me->signals.restarts);
}

}  // namespace

// Asked last: a call that is tried is made by that.
static bool goes_on(const ThreadSlot& me) {
  g_goes_on = true;
  const bool can = ready(me) == Ready::kYes;
  g_goes_on = false;
  return can;
}

Event* take_turn(ThreadSlot* me) {
  if (__builtin_expect(g_detecting, 0)) kUpward.take_accesses();
  if (__builtin_expect(g_run.step >= g_snapshot_step, 0)) kUpward.take_snapshot();
  if (__builtin_expect(me->signals.handlers != 0, 0)) kUpward.learn_mask(me);
  if (__builtin_expect((g_run.step - g_run.progress.last >= kAskFrom) | me->watched, 0)) look_for_repetition(me);
  const bool keeps = !me->gave_way && g_run.step < g_run.turn.end && g_run.step < g_clock_step &&
                     g_run.director.keeps(me->id, me->operations + 1, g_run.step + 1) && goes_on(*me);
  if (!keeps) {
    ThreadSlot* next = decide(true);
    if (next != me) {
      me->gave_way = false;  // it has: whoever runs now is somebody else
      g_candidates[me->place].gave_way = false;
      switch_to(next);
      if (__builtin_expect(g_run.collecting, 0)) hand_in_stack(me);
    }
  }
  return record(me);
}

void no_progress() {
  g_run.progress.last = g_run.progress.before;
  g_run.progress.last_motion = g_run.progress.motion_before;
}

void mark_try(Event* event, bool fails) {
  ThreadSlot* me = g_current;
  if (!fails) {
    me->tries.count = 0;
    return;
  }
  me->tries.count = me->tries.site == event->site ? me->tries.count + 1 : 1;
  me->tries.site = event->site;
  event->flags |= kFailed;
  no_progress();
  if (me->tries.count >= kSpinTries) {
    event->flags |= kSpin;
    me->gave_way = true;
  }
}

void time_passed() { g_run.progress.last = g_run.progress.before; }

Event* point(const Pending& pending) {
  ThreadSlot* me = g_current;
  if (g_open_store.event != nullptr) kUpward.settle_store();
  for (;;) {
    if (__builtin_expect(attention_due(*me, pending), 0) && kUpward.attend(me, pending)) return nullptr;
    me->pending = pending;
    Event* e = take_turn(me);
    if (__builtin_expect(e->op == pending.op, 1)) return e;
    if (!waits_on(me, pending, *e)) return nullptr;
  }
}

Event* point(Op op, const void* address, void* pc) {
  ThreadSlot* me = g_current;
  const ObjectId object = object_of(address);
  const SiteId site = caller_site(pc);
  const auto described = [&] { return Pending{op, 0, 0, address, nullptr, object, site, 0, 0, Interrupt::kNever, false}; };
  if (__builtin_expect(g_open_store.event != nullptr || attention_due(*me), 0)) return point(described());
  // Written where it belongs, and not copied there: the processor would have to wait for the parts.
  me->pending = described();
  Event* e = take_turn(me);
  if (__builtin_expect(e->op == op, 1)) return e;
  return waits_on(me, described(), *e) ? point(described()) : nullptr;
}

void leave_for_ever() {
  ThreadSlot* me = g_current;
  if (__builtin_expect(g_detecting, 0)) kUpward.take_accesses();
  me->life = Life::kFinished;
  remove_live(me);
  t_managed = 0;
  if (__builtin_expect(g_run.step >= g_snapshot_step, 0)) kUpward.take_snapshot();
  switch_to(decide(false));
}

void begin_thread(ThreadSlot* thread) {
  t_managed = 1;
  record(thread);
}

uint32_t wake(const void* address, uint32_t count, Event* event) {
  uint32_t woken = 0;
  while (woken < count) {
    // First in, first out; the plan or a random policy may take another.
    ThreadSlot* queue[256];
    uint64_t ids[256];
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < g_live_count && waiting < 256; ++i) {
      ThreadSlot& t = g_threads[g_live[i].slot];
      if (t.wait.on != address || t.wait.ended) continue;
      uint32_t at = waiting++;
      for (; at > 0 && queue[at - 1]->wait.order > t.wait.order; --at) queue[at] = queue[at - 1];
      queue[at] = &t;
    }
    if (waiting == 0) break;
    uint32_t pick = 0;
    if (count == 1) {
      for (uint32_t i = 0; i < waiting; ++i) ids[i] = queue[i]->id;
      pick = g_run.director.choose(g_current->id, g_current->operations, g_run.step, ids, waiting);
      if (event != nullptr) {
        event->flags |= kChoice;
        event->value = ids[pick];
      }
    }
    queue[pick]->wait.ended = true;
    ++woken;
  }
  return woken;
}

}  // namespace heddle::rt
