#pragma once

namespace heddle::rt {

// A system call made through syscall() that has an interposer of its own: true if that has performed it. *result is as syscall() gives
// it, with errno set.
bool forwarded_syscall(long number, const long* arguments, const void* pc, long* result);

}  // namespace heddle::rt
