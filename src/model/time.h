#pragma once
// Time-outs and sleeps.
#include "model/ready.h"

namespace heddle::model {

// A wait that also ends at its deadline. `due`: the deadline has passed.
constexpr Ready or_timeout(Ready without, bool due) {
  if (without == Ready::kYes || due) return Ready::kYes;
  return without == Ready::kUnknown ? Ready::kUnknown : Ready::kTimeout;
}

constexpr Ready sleep_ready(bool due) { return or_timeout(Ready::kNo, due); }

}  // namespace heddle::model
