#pragma once
// The threads of the run: what each does next, what it waits for, and the context to resume it in.
#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/channel.h"

namespace heddle::rt {

enum class Life : uint8_t { kFree, kPooled, kLive, kFinished, kReaped, kRemoved };

// What becomes of a wait when a signal handler has run in the middle of it.
enum class Interrupt : uint8_t { kNever, kUnlessRestart, kAlways };

// A thread's next operation. `address` is the raw object: for the model only, never recorded.
struct Pending {
  Op op;
  uint16_t flags;  // EventFlag known before the operation executes
  uint32_t size;
  const void* address;
  const void* second;  // the mutex of a condition's wait; the requeue target of a futex
  ObjectId object;
  SiteId site;
  uint64_t value;
  uint64_t deadline;    // virtual ns; kTimed operations
  Interrupt interrupt;  // kNever: the wait goes on; otherwise point() may return nullptr
  bool cancels;         // a cancellation point
};

struct HeldLock {
  const void* address;
  SiteId site;  // where it was taken
};
inline constexpr uint32_t kMaxHeld = 32;

// An initialiser that the thread runs. Kept here and not on its stack, which may be gone when it is given up.
struct OnceMark {
  volatile int* word;
  SiteId site;
  const void* frame;  // of the pthread_once
};
inline constexpr uint32_t kMaxOnces = 8;  // inside of each other; of more than that, the inner ones are not known

struct ThreadSlot;

// What it runs on (carrier.h).
struct Carried {
  void* context;  // saved stack pointer while it does not run
  uintptr_t fs_base;
  volatile int go;  // futex: kernel carrier's turn; fiber carrier: the donor may finish
  volatile int parked;
  pthread_t handle;
  pid_t process;      // where it has a kernel thread; elsewhere (in a forked child) it is memory only
  ThreadSlot* donor;  // the pooled slot whose kernel thread this one uses, or nullptr
  const char* stack_low;
  const char* stack_high;
};

// Its signals (thread_signals.h, outside/delivery.h).
struct ThreadSignals {
  uint64_t mask;          // what it blocks; at its start, the creator's. The kernel's own mask is that of the thread that runs
  uint64_t pending;       // sent to this thread and not yet taken: bit n - 1
  uint32_t handlers;      // that it is inside of; a jump out of one leaves this too high
  int delivering;         // the signal that it is sending itself, to run the program's handler
  bool restarts;          // the last handler was installed with SA_RESTART
  void* alternate_stack;  // sigaltstack, nullptr: none of its own
  size_t alternate_size;
};

struct Cancellation {
  bool requested;
  bool disabled;
  bool async;
  bool under_way;      // cancelled in a wait that must first take its mutex again
  uint32_t tests;      // how often in a row the thread has asked (pthread_testcancel) and done no operation in between
  uint64_t tested_at;  // its operations at the last time
};

// The queue that it waits in.
struct Waiting {
  const void* on;       // the condition or futex, or nullptr
  uint64_t order;       // first in, first out among the waiters of one object
  uint32_t futex_bits;  // the bitset of a futex wait
  uint32_t arrival;     // its number among the arrivals at a barrier
  bool ended;           // by somebody
};

struct HeldLocks {
  uint32_t count;  // of which the first kMaxHeld are kept
  HeldLock locks[kMaxHeld];
};

// Spin recognition: the same failing try again and again.
struct FailedTries {
  SiteId site;
  uint32_t count;
};

// Rounds of loops that wait without a call, since its last event (memory/code_points.h).
struct LoopPasses {
  uint32_t operations;  // its own, at the last of them
  uint32_t passes;
  uint32_t patience;  // so many rounds, and it gives way
};

// Its events of late, if they were all made at a few places: a loop that waits may do something in each round, and then nothing tells it from
// work but that it takes so long.
struct Circling {
  static constexpr uint32_t kPlaces = 8;
  SiteId places[kPlaces];
  uint32_t known;
  uint32_t events;
  bool gave_way;  // before, without having left since
};

// At a displaced instruction all registers are alive, not only those that a call preserves. nullptr: it is at a call.
struct LiveRegisters {
  const uint64_t* general;
  const void* vectors;
  uint32_t vector_bytes;
};

struct ThreadSlot {
  // --- who it is
  ThreadId id;
  uint32_t index;  // in the trace's thread table
  uint32_t place;  // in g_live, while it lives
  uint32_t parent;
  uint32_t birth;
  uint32_t births;  // children so far
  pid_t tid;        // what glibc stores as the owner of a mutex
  void* (*entry)(void*);
  void* argument;
  void* result;

  // --- how far it has come
  Pending pending;
  uint32_t operations;  // executed
  Life life;
  bool detached;
  bool gave_way;    // only ever true of the thread that ran last
  bool ending;      // runs its destructors
  bool watched;     // its kernel thread's looks outside are seen: outside_influence.h
  int unfinished;   // 1 from its birth to its last event
  uint32_t inputs;  // its calls so far that reached outside the program
  uint32_t peers;   // descriptors that lead outside, of which it was the first to use
  uint64_t last_step;
  uint64_t used;         // processor time, in virtual ns
  uint64_t ready_since;  // the step from which its next operation was not seen to block
  void* stream_caller;   // where the call comes from that writes to a stream, while it does

  Carried carrier;
  ThreadSignals signals;
  Cancellation cancel;
  Waiting wait;
  FailedTries tries;
  LoopPasses loop;
  Circling circling;
  LiveRegisters live;
  uint32_t once_count;
  OnceMark onces[kMaxOnces];
  HeldLocks held;
};

extern ThreadSlot g_threads[kMaxThreads];
extern uint32_t g_thread_count;  // slots used, in order of creation
extern ThreadSlot* g_current;    // the one that runs; meaningful only when the run is active

// What ready() says in short: a word in memory, and while it is 0 the thread's operation is enabled. While it is not, the operation is
// blocked if `exact`; otherwise that says nothing, and ready() has to be asked.
struct Gate {
  const volatile int* word;
  bool exact;
};

// The live threads, compact, in order of creation.
struct Live {
  Gate gate;
  uint32_t slot;
};
extern Live g_live[kMaxThreads];
extern uint32_t g_live_count;

// Set in threads that belong to the run. Everything else (donors before their turn, helper threads of libraries) passes through.
extern __thread char t_managed;

ThreadSlot* slot_of(pthread_t handle);
ThreadSlot* slot_of_tid(pid_t tid);
void add_live(ThreadSlot* thread);
void remove_live(ThreadSlot* thread);

void note_held(ThreadSlot* thread, const void* lock, SiteId site);
void note_released(ThreadSlot* thread, const void* lock);
SiteId held_site(const ThreadSlot* thread, const void* lock);

}  // namespace heddle::rt
