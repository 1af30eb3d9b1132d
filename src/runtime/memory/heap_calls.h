#pragma once
// What the interposed allocation functions do (calls/heap.cpp); heap.cpp. `pc` is the return address of the program's call.
#include <stddef.h>
#include <stdint.h>

namespace heddle::rt {

void* allocate(size_t size, const void* pc);
void* allocate_zeroed(size_t count, size_t size, const void* pc);
void* allocate_aligned(size_t alignment, size_t size, const void* pc);
void* reallocate(void* block, size_t size, const void* pc);
void release(void* block, const void* pc);
// False where the block is none of ours.
bool block_size(const void* block, size_t* size);
// A block leaves the quarantine.
void discard(uintptr_t start);

}  // namespace heddle::rt
