#pragma once
#include <sys/types.h>

namespace heddle::rt {

// A system call made through syscall() that has an interposer of its own: true if that has performed it. *result is as syscall() gives
// it, with errno set.
bool forwarded_syscall(long number, const long* arguments, const void* pc, long* result);
// The same for calls about files, messages and the machine.
bool forwarded_file_call(long number, const long* arguments, long* result);

// Before the program does something after which it could not be controlled: ends the run where that is so. `program`: the filter, a
// sock_fprog.
void before_filter(const void* program);
void before_strict_mode();
void before_trace(pid_t traced);

}  // namespace heddle::rt
