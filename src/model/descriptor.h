#pragma once
// What the kernel knows and no event tells: descriptors, signals, children. In the target it is asked; in the tool nobody knows.
#include "model/ready.h"

namespace heddle::model {

// Only a handler ends it, and that is an operation of its own, which a thread comes to when the signal is there.
constexpr Ready pause_ready() { return Ready::kNo; }

}  // namespace heddle::model
