#pragma once
// The calls that led to each event, kept where the plan asks for them (wire/event_stacks.h).
#include "runtime/engine/run.h"

namespace heddle::rt {

extern bool g_keeping_stacks;
void install_event_stacks(bool wanted);
// Of the calling thread, for the event that it has just recorded.
void keep_stack(const Event& event);

}  // namespace heddle::rt
