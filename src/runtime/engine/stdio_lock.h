#pragma once
#include <stdio.h>

#include "runtime/engine/thread.h"

namespace heddle::rt {

// glibc's own lock word and owner of a stream.
bool stream_free_for(const FILE* stream, const ThreadSlot& thread);
ThreadSlot* stream_owner(const FILE* stream);

}  // namespace heddle::rt
