#pragma once
#include <stdint.h>

namespace heddle::model {

// May a thread execute the operation that it is about to execute?
enum class Ready : uint8_t {
  kNo,
  kYes,
  kTimeout,  // only if its time-out fires before its deadline
  kUnknown,  // depends on something that the state does not say: the outside world, in the tool. Never said in the target
};

constexpr Ready when(bool yes) { return yes ? Ready::kYes : Ready::kNo; }

// No thread, no object.
inline constexpr uint32_t kNone = 0xFFFFFFFF;

}  // namespace heddle::model

namespace heddle {

// Everybody's word for an answer of the model.
using model::Ready;

}  // namespace heddle
