#pragma once
// The run this process is part of: the channel, the plan being followed, the clock and the step.
#include <stdint.h>

#include "policy/director.h"
#include "runtime/engine/thread.h"
#include "wire/channel.h"

namespace heddle::rt {

// When something last happened, in events.
struct Progress {
  uint64_t last;         // that was not a failed try, a yield or a time-out
  uint64_t before;       // `last` before the last event
  uint64_t last_motion;  // the same, but time that passes (a sleep, a time-out) counts too
  uint64_t motion_before;
};

struct Turn {
  uint64_t end;           // step at which a thread that keeps the others waiting has run for long enough
  uint32_t last_thread;   // index of the thread of the last event
  uint16_t switch_flags;  // flags for the first event of the slice that begins
};

// The cycle of lock owners that is kept in mind (cycles.h).
struct KeptCycle {
  uint64_t step;        // events before it; 0: none
  uint32_t thread;      // who closed it
  uint32_t operations;  // how far that thread had come
};

struct Run {
  bool attached;     // there is a tool: the channel is mapped
  bool claimed;      // this process writes the trace; until then it writes to private memory
  bool early;        // before main, in a process with a channel: clocks, numbers and random bytes are those of the run already
  bool active;       // main has started, threads are under control
  bool exiting;      // the program has called exit()
  bool collecting;   // the run is over; threads only hand in their stacks
  bool forked_copy;  // a fork server's child: threads created before the fork have no kernel thread here
  bool idled;        // for so long that time was let pass: how long exactly depends on how the plan was written
  Control* control;
  char* channel;  // the shared memory
  char* slot;     // where the trace goes: the channel, or private memory with the same layout
  ChannelLayout layout;
  TraceHeader* header;
  ThreadRow* rows;
  Event* events;
  uint64_t capacity;
  uint64_t mapped;  // events whose pages are there: beyond them the next many are asked for at once
  uint64_t ring;    // step & ring is an event's place: all bits, unless the events are streamed
  PlanView plan;
  Director director;
  bool after_releases;   // the plan has a point after each operation that may let somebody go on
  uint64_t event_limit;  // the plan's: the run is given up there
  uint64_t step;         // events executed
  uint64_t clock;        // ns since the start of the run, virtual or real
  uint64_t waited;       // of those, what passed while every thread waited: no processor time
  uint64_t wait_order;
  Turn turn;
  Progress progress;
  KeptCycle cycle;
  Carrier carrier;
  int exit_code;
  ThreadSlot* collector;  // whom a thread that hands in its stack switches back to
};
extern Run g_run;

// A run without a limit has to end where the program does: no thread may keep the others waiting for ever, not even in the schedule without
// preemptions. Where there is a limit, or a plan to follow, no turn is ended.
inline void begin_turn() {
  constexpr uint64_t kUnlimited = ~uint64_t{0};
  constexpr uint64_t kLongestTurn = 100000;  // events
  g_run.turn.end = g_run.plan.header->limits.events == kUnlimited ? g_run.step + kLongestTurn : kUnlimited;
}

// True on a thread of the run, under control.
inline bool active() { return g_run.active && t_managed; }

// The same, or before main: what the program asks about the world is answered from the run's.
inline bool in_world() { return active() || __builtin_expect(static_cast<int>(g_run.early), 0) != 0; }
// This process is none of the run any more: a forked child, or one beside the one that the tool follows.
void leave_run();

// Maps the pages of these events of the trace in one go: one by one, a long run would fault on each.
void map_events(uint64_t first, uint64_t last);
void map_more_events();
// The thread's name in the trace's table: a run that is killed, or becomes another program, must have it too.
void name_row(const ThreadSlot& thread);
void note(SiteId site, const char* text);  // something not controlled or not modelled
inline constexpr const char* kNoPriorities = "a policy or priority of the kernel's scheduler (SCHED_FIFO) has no effect on the schedule";
[[noreturn]] void end_run(OutcomeKind kind, int code, const char* message);
// Records how the program ended, without ending it: exit codes, aborts and signals end the process themselves.
void record_outcome(OutcomeKind kind, int code, const char* message);
void capture_stack(SiteId* stack, uint32_t capacity, uint32_t* size, int skip);

}  // namespace heddle::rt
