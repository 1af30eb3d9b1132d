#include "runtime/engine/upward.h"

#include "runtime/calls/child.h"
#include "runtime/calls/identity.h"
#include "runtime/calls/thread.h"
#include "runtime/memory/access_ring.h"
#include "runtime/memory/code_points.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/hooks.h"
#include "runtime/memory/race_clocks.h"
#include "runtime/memory/races.h"
#include "runtime/outside/clock_log.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/descriptors.h"
#include "runtime/outside/external_wait.h"
#include "runtime/outside/input_log.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/readiness.h"
#include "runtime/outside/signals.h"
#include "runtime/process/begin.h"
#include "runtime/process/checkpoint.h"
#include "runtime/process/rewind.h"
#include "runtime/process/snapshot.h"

namespace heddle::rt {

namespace {

HeapBlock heap_block(const void* address) {
  const Block block = block_at(address);
  if (block.start == 0 || block.header->named == 0) return {};
  return {block.start, block.header->size, static_cast<uint32_t>(block.header->thread), block.header->number, block.header->pc};
}

bool hand_out_while_all_wait() { return hand_out_arrived(kNobodyRan, kNoSite); }

// The run has ended, here.
void note_end(const SiteId* stack, uint32_t size) {
  note_twins(stack, size);
  log_waits_at_end();
}

// A run of a search leaves snapshots, a recorded one checkpoints.
void leave_copy() {
  if (g_run.control->mode == Mode::kOnce) {
    look_for_checkpoint();
  } else {
    take_snapshot();
  }
}

}  // namespace

constinit const Upward kUpward = {
    .heap_block = heap_block,
    .settle_store = settle_store,
    .race_event = race_event,
    .take_accesses = take_accesses,
    .race_locks = race_locks,
    .note_twins = note_end,
    .modules_changed = install_code_points_of_new_modules,

    .descriptors_ready = descriptors_ready,
    .child_over = child_over,
    .wait_over = wait_over,
    .awaits_outside = awaits_outside,
    .wait_for_outside = wait_for_outside,
    .live_children = live_children,
    .has_handler = has_handler,
    .has_signal = has_signal,
    .attend = attend,
    .hand_out_arrived = hand_out_while_all_wait,
    .run_delivery = run_delivery,
    .redirect = redirect,
    .learn_mask = learn_mask,
    .change_masks = change_masks,
    .fire_timers = fire_timers,
    .recorded_look = recorded_look,
    .recorded_value = recorded_value,
    .recorded_pass = recorded_pass,
    .log_look = log_look,
    .log_value = log_value,
    .log_pass = log_pass,

    .claim = claim,
    .end_child = end_child,
    .take_snapshot = leave_copy,
    .is_used_again = is_used_again,
    .stop_all_calls = stop_all_calls,

    .run_thread = run_thread,
    .begin_identity = begin_identity,
    .adopt_identity = adopt_identity,
};

}  // namespace heddle::rt
