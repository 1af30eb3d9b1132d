#include "runtime/engine/due.h"

namespace heddle::rt {

volatile int g_attention;
uint64_t g_next_timer = kNoTimer;
bool g_virtual_time = true;
uint64_t g_clock_step = UINT64_MAX;
uint64_t g_snapshot_step = UINT64_MAX;
bool g_detecting;
bool g_watched;
OpenStore g_open_store;

}  // namespace heddle::rt
