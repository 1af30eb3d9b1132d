#pragma once
#include <stdio.h>

namespace heddle::rt {

// Before a call that may have to fill the stream's buffer: waits for the stream and, where the stream may block, for its bytes.
void before_stream_read(FILE* stream, void* pc);

}  // namespace heddle::rt
