#pragma once
#include "wire/rooms.h"

namespace heddle {

// Where the channel is also found, as an inherited descriptor, by a program in a user namespace of its own: from there the tool's /proc/PID/fd is
// out of reach. High, so that the program's own descriptors have the numbers they would have without it.
inline constexpr int kInheritedChannel = 900;

}  // namespace heddle
