#pragma once
// The call sites of instrumentation hooks that have been executed, and what the plan's point set makes of each.
#include <stdint.h>

#include "runtime/engine/run.h"

namespace heddle::rt {

struct CallSite {
  uintptr_t pc;  // return address of the hook
  SiteId site;
  uint32_t count;  // executions while it was no point
  bool point;
  bool disabled;  // does nothing in this epoch
  bool listed;    // called often
  bool spins;     // part of a spin loop: a point whatever the point set, so that the loop gives way
};

// Installs the plan's point set, which is the same for all plans that one process executes.
void install_point_set(const PlanHeader& header, const SiteId* sites);

bool plan_lists(SiteId site);

enum class HookKind : uint8_t { kPlain, kAtomic, kEntry, kExit };
// The entry for a hook's return address.
CallSite* call_site(const void* pc, HookKind kind);

}  // namespace heddle::rt
