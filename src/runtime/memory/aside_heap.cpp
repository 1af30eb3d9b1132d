#include "runtime/memory/aside_heap.h"

#include <stdint.h>

#include "runtime/base/placement.h"

namespace heddle::rt {

__thread char t_aside __attribute__((tls_model("initial-exec")));

namespace {

constexpr size_t kRoom = size_t{32} << 20;
constexpr size_t kLeast = 32;
constexpr int kSizes = 21;  // kLeast << 20 is the room itself

// Before each block. Blocks of one size are of a power of two, and are never joined or cut.
struct Head {
  uint32_t size;   // kLeast << size, this head included
  uint32_t shift;  // what the program got begins so many bytes behind the head
  Head* next;      // while it is free
};
static_assert(sizeof(Head) == 16);

alignas(4096) HEDDLE_APART char g_room[kRoom];
size_t g_used;
Head* g_free[kSizes];
int g_busy;

// Threads that the C library makes for itself come here, too.
class Busy {
 public:
  Busy() {
    while (__atomic_exchange_n(&g_busy, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  }
  ~Busy() { __atomic_store_n(&g_busy, 0, __ATOMIC_RELEASE); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
};

Head* head_of(const void* block) { return reinterpret_cast<Head*>(const_cast<void*>(block)) - 1; }

}  // namespace

bool is_aside(const void* block) {
  const auto at = reinterpret_cast<uintptr_t>(block);
  const auto room = reinterpret_cast<uintptr_t>(g_room);
  return __builtin_expect(at - room < kRoom, 0);
}

void* aside_allocate(size_t alignment, size_t size) {
  const size_t extra = alignment > sizeof(Head) ? alignment : 0;
  if (size > kRoom || extra > kRoom) return nullptr;
  uint32_t index = 0;
  while ((kLeast << index) < size + extra + sizeof(Head)) ++index;
  if (index >= static_cast<uint32_t>(kSizes)) return nullptr;
  const Busy busy;
  Head* h = g_free[index];
  if (h != nullptr) {
    g_free[index] = h->next;
  } else {
    if (g_used + (kLeast << index) > kRoom) return nullptr;
    h = reinterpret_cast<Head*>(g_room + g_used);
    g_used += kLeast << index;
  }
  const auto first = reinterpret_cast<uintptr_t>(h + 1);
  const uintptr_t block = extra != 0 ? (first + alignment - 1) & ~(alignment - 1) : first;
  // The head lies before what the program gets, wherever the block begins.
  Head* own = reinterpret_cast<Head*>(block) - 1;
  own->size = index;
  own->shift = static_cast<uint32_t>(block - first);
  return reinterpret_cast<void*>(block);
}

void aside_release(void* block) {
  const Head found = *head_of(block);
  const Busy busy;
  auto* h = reinterpret_cast<Head*>(static_cast<char*>(block) - found.shift) - 1;
  h->size = found.size;
  h->next = g_free[found.size];
  g_free[found.size] = h;
}

size_t aside_size(const void* block) {
  const Head* h = head_of(block);
  return (kLeast << h->size) - sizeof(Head) - h->shift;
}

}  // namespace heddle::rt
