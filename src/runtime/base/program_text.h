#pragma once
// Writing into the program's code. Only while no other thread can be executing it: in the fork server's root before a fork, or in a
// serialised run.
#include <stddef.h>
#include <stdint.h>

namespace heddle::rt {

// The pages that are writable for the moment: places that lie together are written together. The protection that the text gets back is
// read and execute.
class TextWindow {
 public:
  bool write(void* at, const void* bytes, size_t count);
  void close();

 private:
  bool open(uintptr_t begin, size_t count);
  uintptr_t first_ = 0;
  uintptr_t bytes_ = 0;
};

// The same with a window that is always there: the pages stay writable until flush_text(). False: the text cannot be written.
bool write_text(void* at, const void* bytes, uint32_t count);
void flush_text();

}  // namespace heddle::rt
