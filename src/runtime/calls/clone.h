#pragma once
#include <stdint.h>

namespace heddle::rt {

enum class CloneKind : uint8_t { kProcess, kThread, kLikeVfork };
CloneKind clone_kind(uint64_t flags);

}  // namespace heddle::rt
