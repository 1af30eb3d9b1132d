#pragma once
// The program's heap: every block knows who allocated it and where. Names of heap objects come from here, and so does the knowledge of
// what has been freed.
#include <stddef.h>
#include <stdint.h>

#include "runtime/engine/run.h"

namespace heddle::rt {

// Stands before each block that the program gets from us.
struct BlockHeader {
  uint64_t size : 40;
  uint64_t thread : 14;    // index of the allocating thread
  uint64_t alignment : 6;  // log2 of the distance to what the C library gave
  uint64_t named : 1;      // allocated by a thread of the run, or before main
  uint64_t spare : 3;
  uint32_t number;  // among the thread's allocations
  uint32_t pc;      // low half of the return address of the allocation
};
static_assert(sizeof(BlockHeader) == 16);

struct Block {
  uintptr_t start;
  const BlockHeader* header;
};
// The block that the address lies in, in use or in quarantine; start 0 if there is none.
Block block_at(const void* address);

void start_heap();  // with the channel: from now on blocks are known

// Freed memory of instrumented programs stays with us for a while, so that a use of it is seen.
bool is_freed_slow(uintptr_t address, size_t size);
// Accesses of plain code are operations of this run: what it frees is kept, so that a use of it is seen.
extern bool g_code_accesses;
// Ends the run as a misuse: `address` lies in freed memory. `pc` is the return address of the hook that saw it.
[[noreturn]] void report_freed_use(const void* address, size_t size, Op op, const void* pc);

}  // namespace heddle::rt
