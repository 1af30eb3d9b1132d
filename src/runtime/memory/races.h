#pragma once
// Data races of instrumented code, found while it runs: FastTrack (Flanagan & Freund 2009) with the last few accesses of each 8 bytes kept
// as epochs, and vector clocks advanced by the run's own synchronisation events. What it reports as confirmed is unordered in this run.
// Beside the full order a weaker one is kept, without the edges from unlock to lock (Thrille 2010, hybrid detection): two accesses that
// only that order leaves open, made under different locks, are possible races. Sections of one lock whose accesses conflict stay in their order
// there, too: what the later one does may rest on what it read.
#include <stddef.h>
#include <stdint.h>

#include "runtime/engine/due.h"
#include "runtime/engine/thread.h"
#include "runtime/memory/tsan_hooks.h"

namespace heddle::rt {

inline bool detecting() { return __builtin_expect(g_detecting, 0) && t_managed; }

void install_races(bool wanted);

void race_access(const void* address, size_t size, Op op, const void* pc);
// Of an object that threads synchronise by: it is made or destroyed, or it is used. Only what is unordered for certain is reported: that a
// lock is destroyed after its last unlock is known by that lock.
void race_sync_access(const void* address, bool writes, const void* pc);
void race_atomic(const AtomicDone& done);
// The program has said that races about these bytes are meant to be.
void race_is_benign(const void* address, size_t size);
void race_enter(const void* call_site, const void* stack_pointer);
void race_leave();
void race_locks(ThreadSlot* thread);  // its held locks have changed

// The memory is new: what was there before has nothing to do with it.
void forget_accesses(uintptr_t start, size_t size);
void forget_all_accesses();

}  // namespace heddle::rt
