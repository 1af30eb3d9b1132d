#pragma once
// What a system call leaves behind. A run that leaves nothing in the kernel can be undone by putting its memory back (reuse.h); one that
// opens a file, starts a process or changes a signal's action cannot.
#include <stdint.h>
#include <sys/syscall.h>

namespace heddle::rt {

enum class Marks : uint8_t {
  kNone,    // it leaves nothing, or what the next run is given anew (the standard streams, the signal mask)
  kMemory,  // the address space: undone if it is the run's own, see reuse.cpp
  kLasting,
};

constexpr Marks marks_of(long n, long a = 0, long b = 0, long c = 0) {
  constexpr long kTerminalAsked = 0x5401;  // TCGETS: isatty
  constexpr long kDontNeed = 4, kFree = 8, kRemove = 9, kColdest = 21, kPopulateRead = 22, kPopulateWrite = 23;
  switch (n) {
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_lseek: return a <= 2 ? Marks::kNone : Marks::kLasting;
    case SYS_ioctl: return b == kTerminalAsked ? Marks::kNone : Marks::kLasting;
    case SYS_rt_sigaction: return b == 0 ? Marks::kNone : Marks::kLasting;
    case SYS_prlimit64: return c == 0 ? Marks::kNone : Marks::kLasting;
    case SYS_madvise:
      if (c == kPopulateRead || c == kPopulateWrite) return Marks::kNone;
      return c == kDontNeed || c == kFree || c == kRemove || c >= kColdest ? Marks::kMemory : Marks::kNone;
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_brk: return Marks::kMemory;
    case SYS_rt_sigprocmask:
    case SYS_rt_sigpending:
    case SYS_futex:
    case SYS_sched_yield:
    case SYS_sched_getaffinity:
    case SYS_getpid:
    case SYS_gettid:
    case SYS_getppid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_getrusage:
    case SYS_getrandom:
    case SYS_getcpu:
    case SYS_getcwd:
    case SYS_clock_gettime:
    case SYS_clock_getres:
    case SYS_gettimeofday:
    case SYS_time:
    case SYS_times:
    case SYS_uname:
    case SYS_sysinfo:
    case SYS_fstat:
    case SYS_stat:
    case SYS_lstat:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_access:
    case SYS_faccessat:
    case SYS_readlink:
    case SYS_readlinkat:
    case SYS_mincore:
    case SYS_exit_group: return Marks::kNone;
    default: return Marks::kLasting;
  }
}

// A run's own call has left something behind, or changed the address space: see reuse.cpp.
void left_mark(long n);
void changed_memory(long n, const long* arguments, long result);

}  // namespace heddle::rt
