#pragma once
#include <stdio.h>

#include "runtime/thread.h"

namespace heddle::rt {

// glibc's own lock word and owner of a stream.
bool stream_free_for(const FILE* stream, const ThreadSlot& thread);
ThreadSlot* stream_owner(const FILE* stream);

// Before a call that may have to fill the stream's buffer: waits for the stream and, where the stream may block, for its bytes.
void before_stream_read(FILE* stream, void* pc);

}  // namespace heddle::rt
