#pragma once
#include <stdint.h>

#include "wire/rooms.h"

namespace heddle {

// Raised when what a saved trace means changes: a trace of another version is refused by name instead of being misread.
inline constexpr uint32_t kWireVersion = 5;
// Raised when the layout of the shared memory or of a plan in it changes: a runtime and a tool of different versions refuse each other.
inline constexpr uint32_t kChannelVersion = 9;

}  // namespace heddle
