#pragma once
// What a system call leaves behind. A run that leaves nothing in the kernel can be undone by putting its memory back (rewind.h); one that
// opens a file, starts a process or changes a signal's action cannot.
#include <stdint.h>
#include <sys/syscall.h>

namespace heddle::rt {

enum class CallEffect : uint8_t {
  kNone,    // it leaves nothing in the process, or what the next run is given anew (offsets of open files, the signal mask)
  kMemory,  // the address space: undone if it is the run's own, see rewind.cpp
  kOpens,   // descriptors: closed at the end of the run
  kOwn,     // something of a descriptor, its first argument: nothing if that is the run's own
  kLasting,
};

// `b` and `c`: its second and third argument.
constexpr CallEffect effect_of(long n, long b, long c) {
  constexpr long kTerminalAsked = 0x5401;  // TCGETS: isatty
  constexpr long kDuplicate = 0, kFlagsAsked = 1, kModeAsked = 3, kDuplicateOnExec = 1030;
  constexpr long kDontNeed = 4, kFree = 8, kRemove = 9, kColdest = 21, kPopulateRead = 22, kPopulateWrite = 23;
  switch (n) {
    case SYS_ioctl: return b == kTerminalAsked ? CallEffect::kNone : CallEffect::kOwn;
    case SYS_fcntl:
      if (b == kDuplicate || b == kDuplicateOnExec) return CallEffect::kOpens;
      return b == kFlagsAsked || b == kModeAsked ? CallEffect::kNone : CallEffect::kOwn;
    case SYS_open:
    case SYS_openat:
    case SYS_creat:
    case SYS_dup:
    case SYS_pipe:
    case SYS_pipe2:
    case SYS_socket:
    case SYS_socketpair:
    case SYS_accept:
    case SYS_accept4:
    case SYS_eventfd2:
    case SYS_epoll_create1: return CallEffect::kOpens;
    case SYS_close:
    case SYS_bind:
    case SYS_listen:
    case SYS_connect:
    case SYS_shutdown:
    case SYS_setsockopt:
    case SYS_epoll_ctl: return CallEffect::kOwn;
    // What these do to files and to other processes is there for the next run as well if each is a fork.
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_sendmsg:
    case SYS_lseek:
    case SYS_sendto:
    case SYS_recvfrom:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_getsockname:
    case SYS_getpeername:
    case SYS_getsockopt:
    case SYS_getdents64:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_ftruncate:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rename:
    case SYS_mkdir:
    case SYS_rmdir:
    case SYS_statfs:
    case SYS_fstatfs: return CallEffect::kNone;
    case SYS_rt_sigaction: return b == 0 ? CallEffect::kNone : CallEffect::kLasting;
    case SYS_prlimit64: return c == 0 ? CallEffect::kNone : CallEffect::kLasting;
    case SYS_madvise:
      if (c == kPopulateRead || c == kPopulateWrite) return CallEffect::kNone;
      return c == kDontNeed || c == kFree || c == kRemove || c >= kColdest ? CallEffect::kMemory : CallEffect::kNone;
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_brk: return CallEffect::kMemory;
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
    case SYS_exit_group: return CallEffect::kNone;
    default: return CallEffect::kLasting;
  }
}

// A call of ours, on behalf of the run, that may have left something behind: see rewind.cpp. After the call.
void left_effect(CallEffect effect, long n, const long* arguments, long result);

}  // namespace heddle::rt
