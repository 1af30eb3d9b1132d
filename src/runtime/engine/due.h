#pragma once
// What a point looks at before anything else. The engine owns these words, the sub-rooms above it set them.
#include <stdint.h>

#include "wire/event.h"

namespace heddle::rt {

extern volatile int g_attention;  // a signal has arrived from outside

inline constexpr uint64_t kNoTimer = UINT64_MAX;
extern uint64_t g_next_timer;  // virtual time at which the next timer is due, or kNoTimer

extern bool g_virtual_time;    // an event takes a while; otherwise as long as it does
extern uint64_t g_clock_step;  // events after which the clock has to be looked after (clock.h)

extern uint64_t g_snapshot_step;  // events after which the next snapshot is ordered

extern bool g_detecting;  // accesses are watched for races
extern bool g_watched;    // the Valgrind tool tells of the accesses of code that announces none

// A plain store happens after its hook has returned: its value is read when its thread comes to its next operation.
struct OpenStore {
  Event* event;  // nullptr: none
  const void* address;
  uint32_t size;
};
extern OpenStore g_open_store;

}  // namespace heddle::rt
