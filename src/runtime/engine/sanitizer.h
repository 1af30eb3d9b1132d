#pragma once
// A sanitizer's runtime in the program: AddressSanitizer and its kin, as gcc and clang bring them.
//
// Where it is a library, our interposers come before its own and pass on to them, the allocator included. Where it is linked into the
// executable (clang's way), its interposers come first and pass on to ours. One of them must not: its pthread_create waits, in calls that
// we do not see, until the new thread has run. So the program's calls of that one are sent to ours first, and what makes the thread
// underneath, in a moment that is not part of the schedule, is the sanitizer's.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

extern "C" size_t __sanitizer_get_allocated_size(const volatile void*) __attribute__((weak));

namespace heddle::rt {

// Whether blocks are the sanitizer's: each has to come from it and go back to it.
inline bool sanitizer_owns_heap() { return __sanitizer_get_allocated_size != nullptr; }

using ThreadEntry = void* (*)(void*);
using CreateThread = int(pthread_t*, const pthread_attr_t*, ThreadEntry, void*);

// Before the first of our calls of the C library: those of a race detector in the executable do not work until it has begun.
void wake_sanitizer();
// Once, before main. `create`: where the program's calls of pthread_create have to go.
void meet_sanitizer(CreateThread* create);
// Makes a native thread that the sanitizer knows of.
CreateThread create_known_thread;

// The runtime's code: its library, or the part of the executable that is its; empty: there is none.
extern uintptr_t g_sanitizer_code, g_sanitizer_code_bytes;
inline bool in_sanitizer(const void* pc) { return reinterpret_cast<uintptr_t>(pc) - g_sanitizer_code < g_sanitizer_code_bytes; }
// The innermost return address of the stack that is neither ours nor in the sanitizer; `pc` where there is none.
const void* caller_of_sanitizer(const void* pc);

}  // namespace heddle::rt
