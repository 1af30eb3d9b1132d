#pragma once
// Hooks of instrumented code that do nothing in an epoch. They stand among the plan's `sites`, marked: it is the plan that says which they
// are, and not what a process has executed so far, so that what a run sees of loops that wait does not depend on the runs before it.
#include "wire/code_point.h"
#include "wire/plan.h"

namespace heddle {

// Beyond every without_hook_bit site: in a sorted list those of disabled hooks come last.
inline constexpr SiteId kDisabledHookBit = SiteId{1} << 63;
constexpr SiteId disabled_hook(SiteId site) { return site | kDisabledHookBit; }
constexpr bool is_disabled_hook(SiteId site) { return (site & kDisabledHookBit) != 0; }
// Without this bit and those of wire/code_point.h.
constexpr SiteId without_hook_bit(SiteId site) { return site & ~(kDisabledHookBit | kLoopMark | kAccessMark | kAtomicAccessMark); }

// More that a plan may ask for by its `detect` (beside DetectFlag). What is listed comes back in HookBlock::patches.
inline constexpr uint32_t kListHot = 1 << 8;     // sites of hooks that were called often and are no points
inline constexpr uint32_t kRewriteHot = 1 << 9;  // those are disabled from then on: for a run whose trace nobody compares with another's
inline constexpr uint32_t kListExecuted =
    1 << 10;                                   // sites of every hook that was called, and of the functions among `sites` that were entered
inline constexpr uint32_t kOwnCode = 1 << 11;  // no function goes to its plain twin (runtime/memory/twins.h)

}  // namespace heddle
