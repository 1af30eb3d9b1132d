#pragma once
// What a program thread runs on. Fiber: every one on the main kernel thread, on the stack and TLS of a donor that glibc made and that is
// parked. Kernel: each on its own kernel thread, taking turns by a futex. The trace does not depend on it.
#include "runtime/engine/thread.h"

namespace heddle::rt {

// Lets `next` run and returns when the calling thread is switched to again (or, after its last event, when it is reaped).
void switch_to(ThreadSlot* next);

// A kernel thread with stack and TLS for `slot`, parked. Returns an error number.
int spawn(ThreadSlot* slot, const pthread_attr_t* attributes);
// A slot whose donor is ready: from the pool where the attributes are the default ones.
ThreadSlot* take_slot(const pthread_attr_t* attributes, int* error);
extern bool g_defaults_changed;  // the program has attributes of its own for threads that are created without any
// Donors made ahead, before a fork: in the child they cost nothing to use.
void fill_pool(uint32_t wanted);
uint32_t pooled_donors();

// A finished thread's kernel thread ends and its memory returns to glibc. The thread must not be the caller.
void reap(ThreadSlot* slot);

void find_stack(ThreadSlot* slot);
// The alternate signal stack that the kernel thread has, and so the thread on it.
void find_alternate_stack(ThreadSlot* slot);

}  // namespace heddle::rt
