#pragma once
// Streams that read random numbers from the system (/dev/urandom). The C library fills them by calls of its own, so that the file behind them is one of ours,
// which holds the run's random bytes and is filled again before it ends.
#include <stdio.h>

namespace heddle::rt {

bool is_random_stream(int fd);         // a file of ours stands there
void seed_stream(FILE* stream);        // it has just been opened
void seed_stream_again(FILE* stream);  // it is about to be read
}  // namespace heddle::rt
