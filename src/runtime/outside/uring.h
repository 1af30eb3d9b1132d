#pragma once
// io_uring: the wait for completions is under control. What the kernel puts into the rings and buffers is not recorded.

namespace heddle::rt {

// io_uring_enter with these arguments, on a thread of the run; -errno on failure.
long uring_enter(const long* arguments, void* pc);

// A ring is there before the first thread: its memory, and what the kernel keeps of it, would be the same for all runs of a search.
void ring_is_common();
bool has_common_ring();

}  // namespace heddle::rt
