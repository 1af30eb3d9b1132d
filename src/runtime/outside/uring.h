#pragma once
// io_uring: the wait for completions is under control. What the kernel puts into the rings and buffers is not recorded.

namespace heddle::rt {

// io_uring_enter with these arguments, on a thread of the run; -errno on failure.
long uring_enter(const long* arguments, void* pc);

}  // namespace heddle::rt
