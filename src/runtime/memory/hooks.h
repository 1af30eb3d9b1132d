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

// An access that is a point, in two parts: the point; then, for one that only reads, what it reads (a loop that waits by reading gives
// way), and for one that writes, what it will write, or that it is to be read when it has been executed.
Event* access_event(Op op, const void* address, size_t size, SiteId site);
void read_done(Event* event, uintptr_t pc, const void* address, size_t size);
void write_known(Event* event, uint64_t value, size_t size);
void write_begins(Event* event, const void* address, size_t size);

// Reads the value of g_open_store, which has an event.
void settle_store();

}  // namespace heddle::rt
