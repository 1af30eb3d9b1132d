#pragma once
// Memory accesses of instrumented code as operations of the run.
#include "runtime/run.h"
#include "runtime/tsan_hooks.h"

namespace heddle::rt {

void install_hooks();  // with the plan
void begin_counts();   // of a run: those of the program's start, which all runs share
void list_site(SiteId site);
void note_twins(const SiteId* stack, uint32_t size);  // of where the run has ended
bool instrumented();  // has any code of this program announced itself?

// A plain store happens after its hook has returned: its value is read when its thread comes to its next operation.
struct OpenStore {
  Event* event;  // nullptr: none
  const void* address;
  uint32_t size;
};
extern OpenStore g_open_store;
void settle_store();

}  // namespace heddle::rt
