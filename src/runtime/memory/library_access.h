#pragma once
// What functions of the C library access for the program that calls them, told to the detector of races. No points, and nothing but the
// detector knows of them. Only calls out of instrumented code count: how an uninstrumented library protects its buffers is not seen.
#include <stddef.h>
#include <sys/uio.h>

#include "runtime/memory/races.h"

namespace heddle::rt {

void note_library_access(const void* address, size_t size, Op op, const void* pc);
inline void library_reads(const void* address, size_t size, const void* pc) {
  if (detecting()) note_library_access(address, size, Op::kLoad, pc);
}
inline void library_writes(const void* address, size_t size, const void* pc) {
  if (detecting()) note_library_access(address, size, Op::kStore, pc);
}
void library_reads_text(const char* text, const void* pc);
void library_writes_pieces(const iovec* pieces, size_t count, long bytes, const void* pc);
void library_reads_pieces(const iovec* pieces, size_t count, const void* pc);

// A descriptor is an object: every call on it reads it, closing it writes it. Whoever gets its number next has another one.
void descriptor_used(int fd, const void* pc);
void descriptor_closed(int fd, const void* pc);
void descriptor_made(int fd, const void* pc);
// The descriptor that stands behind an address of the detector; -1: none.
int descriptor_behind(const void* address);

// New memory, known by its beginning where it is large.
void memory_mapped(const void* address, size_t size, const void* pc);

// An object that threads synchronise by: making and destroying it are writes, every use is an atomic read.
void sync_object_made(const void* object, const void* pc);

}  // namespace heddle::rt
