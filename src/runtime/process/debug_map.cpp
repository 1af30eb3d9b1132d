#include "wire/debug_map.h"

#include <stddef.h>

#include "runtime/engine/run.h"
#include "runtime/engine/thread.h"
#include "runtime/process/checkpoint.h"
#include "wire/version.h"

using namespace heddle;
using namespace heddle::rt;

extern "C" __attribute__((visibility("default"))) constinit const DebugMap heddle_debug_map = {
    .version = kChannelVersion,
    .live_stride = sizeof(Live),
    .live_record = offsetof(Live, slot),
    .record_stride = sizeof(ThreadSlot),
    .record_index = offsetof(ThreadSlot, index),
    .record_tid = offsetof(ThreadSlot, tid),
    .record_op = offsetof(ThreadSlot, pending) + offsetof(Pending, op),
    .record_address = offsetof(ThreadSlot, pending) + offsetof(Pending, address),
    .live = g_live,
    .live_count = &g_live_count,
    .records = g_threads,
    .current = &g_current,
    .step = &g_run.step,
    .record_context = offsetof(ThreadSlot, carrier) + offsetof(Carried, context),
    .held = &g_held_for_debugger,
};
