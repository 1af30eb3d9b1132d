#pragma once
// What the engine asks of the sub-rooms above it. The engine includes none of them: memory, outside, process and calls include the engine, and
// calls/upward.cpp fills this table, a constant that is there before any code runs. None of these calls is on the path of a memory
// access that is no point; the words that a point looks at first are the engine's own (due.h).
#include "runtime/engine/thread.h"
#include "runtime/engine/waits.h"

namespace heddle::rt {

// A block of the program's heap. start 0: the address lies in none, or in one that has no name.
struct HeapBlock {
  uintptr_t start;
  uint64_t size;
  uint32_t thread;  // index of the allocating thread
  uint32_t number;  // among that thread's allocations
  uint32_t pc;      // low half of the return address of the allocation
};

struct Upward {
  // --- memory
  HeapBlock (*heap_block)(const void* address);
  void (*settle_store)();                                  // g_open_store has an event
  void (*race_event)(const ThreadSlot& thread);            // its event is recorded, and g_detecting
  void (*take_accesses)();                                 // of the thread that has stopped, and g_detecting
  void (*race_locks)(ThreadSlot* thread);                  // its held locks have changed, and g_detecting
  void (*note_twins)(const SiteId* stack, uint32_t size);  // of where the run has ended
  void (*modules_changed)();                               // new ones have names

  // --- outside
  bool (*descriptors_ready)(const DescriptorWait& wait);
  bool (*child_over)(const ThreadSlot& thread, const ChildWait& wait);
  bool (*wait_over)(const ThreadSlot& thread, const DescriptorWait& wait);
  bool (*awaits_outside)();
  bool (*wait_for_outside)(uint64_t deadline);
  uint32_t (*live_children)();
  bool (*has_handler)(int signal);
  bool (*has_signal)(const ThreadSlot& thread, uint64_t set);
  bool (*attend)(ThreadSlot* me, const Pending& before);  // true: the call ends without a wait
  bool (*hand_out_arrived)();                             // while every thread waits
  void (*run_delivery)(ThreadSlot* me, const Event& event);
  void (*redirect)(ThreadSlot* thread);
  void (*learn_mask)(ThreadSlot* me);
  void (*change_masks)(ThreadSlot* from, ThreadSlot* to);
  bool (*fire_timers)();
  bool (*recorded_look)(uint64_t* clock);  // clock_log.h
  bool (*recorded_value)(uint64_t* value);
  bool (*recorded_pass)(uint64_t step, uint64_t* clock, uint64_t* next);
  void (*log_look)(uint64_t clock);
  void (*log_value)(uint64_t value);
  void (*log_pass)(uint64_t step, uint64_t clock);

  // --- process
  void (*claim)();
  void (*end_child)(int status);
  void (*take_snapshot)();
  bool (*is_used_again)();
  void (*stop_all_calls)();

  // --- calls
  void (*run_thread)(ThreadSlot* slot);  // the body of every program thread, on its own stack
  void (*begin_identity)(const ThreadSlot& thread);
  void (*adopt_identity)(const ThreadSlot& thread);
};
extern const Upward kUpward;

}  // namespace heddle::rt
