#pragma once
#include <stddef.h>

namespace heddle::rt {

// Does this run give the program random numbers that are a function of env_seed?
bool seeded();
// The calling thread's next random bytes: a function of env_seed, the thread and how many it has drawn.
void seeded_bytes(void* data, size_t size);

}  // namespace heddle::rt
