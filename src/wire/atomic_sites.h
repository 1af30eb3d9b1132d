#pragma once
// Instructions of a program that is not instrumented of which the tool knows, from the source, that they are atomic or may be: a load or
// store of an atomic variable is often an ordinary instruction. They stand among the plan's `sites`, marked.
#include "wire/disabled_hooks.h"

namespace heddle {

inline constexpr SiteId kAtomicSiteBit = SiteId{1} << 62;
constexpr SiteId atomic_site(SiteId site) { return site | kAtomicSiteBit; }
constexpr SiteId without_atomic_bit(SiteId site) { return site & ~kAtomicSiteBit; }
constexpr bool is_atomic_site(SiteId site) { return (site & (kAtomicSiteBit | kDisabledHookBit)) == kAtomicSiteBit; }

// Of a plan's `detect`: what atomic instructions order does not count. For a program whose threads come to no scheduling point between the first
// and the last of them, and so show nothing else.
inline constexpr uint32_t kAtomicsOrderNothing = 1 << 20;

}  // namespace heddle
