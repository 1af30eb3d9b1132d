#pragma once
// Memory accesses of instrumented code as operations of the run.
#include "runtime/engine/due.h"
#include "runtime/engine/run.h"
#include "runtime/memory/tsan_hooks.h"

namespace heddle::rt {

void install_hooks();  // with the plan
void begin_counts();   // of a run: those of the program's start, which all runs share
void list_site(SiteId site);
void note_twins(const SiteId* stack, uint32_t size);  // of where the run has ended
bool instrumented();                                  // has any code of this program announced itself?

// Reads the value of g_open_store, which has an event.
void settle_store();

}  // namespace heddle::rt
