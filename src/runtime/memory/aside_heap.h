#pragma once
// Memory for what the C library allocates inside of a call that a replay does not make again (a look-up of a name): it lies apart, so that the
// program's own blocks have the same addresses in the recording and in the replay.
#include <stddef.h>

namespace heddle::rt {

extern __thread char t_aside;

// While one of these lives, this thread allocates there.
class Aside {
 public:
  Aside() { ++t_aside; }
  ~Aside() { --t_aside; }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};

inline bool allocates_aside() { return __builtin_expect(t_aside != 0, 0); }
// nullptr: there is no room left. `alignment`: a power of two, 16 at least.
void* aside_allocate(size_t alignment, size_t size);
void aside_release(void* block);
size_t aside_size(const void* block);
bool is_aside(const void* block);

}  // namespace heddle::rt
