#pragma once
// Rows of long runs lie in files, not in memory (LEAN, section 4): a simplification holds a dozen runs at a time, and looks at one or two.
#include <cstddef>
#include <new>
#include <vector>

namespace heddle::trace {

// Zeroed memory that a file without a name backs, nullptr where there is no room for one. The pages of all others leave the memory of this
// process; they come back from the system's cache, or from the disk, when they are looked at.
void* map_long_rows(size_t bytes);
// False: it is none of these.
bool unmap_long_rows(void* rows);

inline constexpr size_t kLongRows = size_t{1} << 20;  // bytes from which on rows lie in a file

template <typename T>
struct LongRowsAllocator {
  using value_type = T;
  LongRowsAllocator() = default;
  template <typename U>
  explicit(false) LongRowsAllocator(const LongRowsAllocator<U>&) {}

  T* allocate(size_t count) {
    if (count < kLongRows / sizeof(T) || count > ~size_t{0} / sizeof(T)) return std::allocator<T>().allocate(count);
    if (void* const rows = map_long_rows(count * sizeof(T))) return static_cast<T*>(rows);
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* rows, size_t count) {
    if (count >= kLongRows / sizeof(T) && unmap_long_rows(rows)) return;
    std::allocator<T>().deallocate(rows, count);
  }
  friend bool operator==(const LongRowsAllocator&, const LongRowsAllocator&) { return true; }
};

template <typename T>
using LongRows = std::vector<T, LongRowsAllocator<T>>;

}  // namespace heddle::trace
