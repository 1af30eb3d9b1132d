#pragma once
#include <stdint.h>

#include "wire/rooms.h"

namespace heddle {

// Raised whenever the layout of anything in wire/ changes: a runtime and a tool of different versions refuse each other,
// and a trace of another version is refused by name instead of being misread.
inline constexpr uint32_t kWireVersion = 5;

}  // namespace heddle
