// Calls that take or give process numbers: the program's numbers become the kernel's, and back. See pids.h.
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/recorded_names.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

pid_t seen_or_error(long result) { return result > 0 ? seen_pid(static_cast<pid_t>(result)) : static_cast<pid_t>(with_errno(result)); }

}  // namespace

HEDDLE_EXPORT pid_t getpid() noexcept { return program_pid(); }
HEDDLE_EXPORT pid_t gettid() noexcept { return own_tid(); }
HEDDLE_EXPORT pid_t getppid() noexcept { return program_parent(); }

HEDDLE_EXPORT pid_t getpgid(pid_t process) noexcept { return seen_or_error(sys(SYS_getpgid, real_pid(process))); }
HEDDLE_EXPORT pid_t getpgrp() noexcept { return seen_or_error(sys(SYS_getpgid, 0)); }
HEDDLE_EXPORT pid_t getsid(pid_t process) noexcept { return seen_or_error(sys(SYS_getsid, real_pid(process))); }
HEDDLE_EXPORT pid_t setsid() noexcept { return seen_or_error(sys(SYS_setsid)); }

// A group that is named after this process is made, or is the one that it is in already.
HEDDLE_EXPORT int setpgid(pid_t process, pid_t group) noexcept {
  const bool own = group != 0 && group == program_pid() && (process == 0 || process == group);
  return static_cast<int>(with_errno(sys(SYS_setpgid, real_pid(process), own ? 0 : real_group(group))));
}
HEDDLE_EXPORT int setpgrp() noexcept { return static_cast<int>(with_errno(sys(SYS_setpgid, 0, 0))); }

// One that the program's numbers go through, with the library's own function behind it.
#define HEDDLE_NUMBERED(result, name, parameters, ...)                       \
  HEDDLE_EXPORT result name parameters noexcept {                            \
    static decltype(&::name) library;                                        \
    if (library == nullptr) library = next_symbol<decltype(&::name)>(#name); \
    return library(__VA_ARGS__);                                             \
  }
HEDDLE_NUMBERED(int, sched_getscheduler, (pid_t p), real_tid(p))
HEDDLE_EXPORT int sched_setscheduler(pid_t process, int policy, const sched_param* parameter) noexcept {
  if (active() && policy != SCHED_OTHER) note(caller_site(__builtin_return_address(0)), kNoPriorities);
  return static_cast<int>(with_errno(sys(SYS_sched_setscheduler, real_tid(process), policy, parameter)));
}
HEDDLE_NUMBERED(int, sched_getparam, (pid_t p, sched_param* s), real_tid(p), s)
HEDDLE_NUMBERED(int, sched_setparam, (pid_t p, const sched_param* s), real_tid(p), s)
HEDDLE_NUMBERED(int, sched_rr_get_interval, (pid_t p, timespec* t), real_tid(p), t)
HEDDLE_NUMBERED(int, prlimit, (pid_t p, __rlimit_resource r, const rlimit* a, rlimit* b), real_tid(p), r, a, b)
HEDDLE_NUMBERED(int, prlimit64, (pid_t p, __rlimit_resource r, const rlimit64* a, rlimit64* b), real_tid(p), r, a, b)
HEDDLE_NUMBERED(int, clock_getcpuclockid, (pid_t p, clockid_t* c), real_pid(p), c)
HEDDLE_NUMBERED(ssize_t, process_vm_readv, (pid_t p, const iovec* l, unsigned long n, const iovec* r, unsigned long m, unsigned long f),
                real_pid(p), l, n, r, m, f)
HEDDLE_NUMBERED(ssize_t, process_vm_writev, (pid_t p, const iovec* l, unsigned long n, const iovec* r, unsigned long m, unsigned long f),
                real_pid(p), l, n, r, m, f)

HEDDLE_EXPORT int pidfd_open(pid_t process, unsigned flags) noexcept {
  return static_cast<int>(with_errno(sys(SYS_pidfd_open, real_pid(process), flags)));
}

// Their header names a process; the C library declares neither.
extern "C" int capget(__user_cap_header_struct* header, __user_cap_data_struct* data) noexcept;
extern "C" int capset(__user_cap_header_struct* header, const __user_cap_data_struct* data) noexcept;
HEDDLE_EXPORT int capget(__user_cap_header_struct* header, __user_cap_data_struct* data) noexcept {
  if (header == nullptr) return static_cast<int>(with_errno(sys(SYS_capget, nullptr, data)));
  __user_cap_header_struct real_header{header->version, real_tid(header->pid)};
  const long result = sys(SYS_capget, &real_header, data);
  header->version = real_header.version;  // the kernel says which one it wants
  return static_cast<int>(with_errno(result));
}
HEDDLE_EXPORT int capset(__user_cap_header_struct* header, const __user_cap_data_struct* data) noexcept {
  if (header == nullptr) return static_cast<int>(with_errno(sys(SYS_capset, nullptr, data)));
  __user_cap_header_struct real_header{header->version, real_tid(header->pid)};
  const long result = sys(SYS_capset, &real_header, data);
  header->version = real_header.version;
  return static_cast<int>(with_errno(result));
}

namespace {

id_t real_who(int which, id_t who) {
  const auto number = static_cast<pid_t>(who);
  if (which == PRIO_PROCESS) return static_cast<id_t>(real_tid(number));
  return which == PRIO_PGRP ? static_cast<id_t>(real_group(number)) : who;
}

}  // namespace
HEDDLE_NUMBERED(int, getpriority, (__priority_which_t which, id_t who), which, real_who(which, who))
HEDDLE_NUMBERED(int, setpriority, (__priority_which_t which, id_t who, int value), which, real_who(which, who), value)
HEDDLE_NUMBERED(int, tcsetpgrp, (int fd, pid_t group), fd, real_group(group))

HEDDLE_EXPORT pid_t tcgetpgrp(int fd) noexcept {
  static decltype(&::tcgetpgrp) library;
  if (library == nullptr) library = next_symbol<decltype(&::tcgetpgrp)>("tcgetpgrp");
  return seen_pid(library(fd));
}
HEDDLE_EXPORT pid_t tcgetsid(int fd) noexcept {
  static decltype(&::tcgetsid) library;
  if (library == nullptr) library = next_symbol<decltype(&::tcgetsid)>("tcgetsid");
  return seen_pid(library(fd));
}

// Paths: one below /proc may name a process by its number, and one that is missing is input.
#define HEDDLE_NAMED(result, name, parameters, ...)                                                                         \
  HEDDLE_EXPORT result name parameters noexcept {                                                                           \
    static decltype(&::name) library;                                                                                       \
    if (library == nullptr) library = next_symbol<decltype(&::name)>(#name);                                                \
    return static_cast<result>(with_errno(ask_for_name([&]() -> long { return library(__VA_ARGS__) == 0 ? 0 : -errno; }))); \
  }
// And what is said of one that is there.
#define HEDDLE_STATUS(name, parameters, ...)                                                                                               \
  HEDDLE_EXPORT int name parameters noexcept {                                                                                             \
    static decltype(&::name) library;                                                                                                      \
    if (library == nullptr) library = next_symbol<decltype(&::name)>(#name);                                                               \
    const iovec filled{s, sizeof *s};                                                                                                      \
    return static_cast<int>(with_errno(ask_kernel({&filled, 1, 1, 0}, [&]() -> long { return library(__VA_ARGS__) == 0 ? 0 : -errno; }))); \
  }
HEDDLE_STATUS(stat, (const char* p, struct stat* s), RealPath(p), s)
HEDDLE_STATUS(lstat, (const char* p, struct stat* s), RealPath(p), s)
HEDDLE_STATUS(stat64, (const char* p, struct stat64* s), RealPath(p), s)
HEDDLE_STATUS(lstat64, (const char* p, struct stat64* s), RealPath(p), s)
HEDDLE_STATUS(fstatat, (int d, const char* p, struct stat* s, int f), d, RealPath(p), s, f)
HEDDLE_STATUS(fstatat64, (int d, const char* p, struct stat64* s, int f), d, RealPath(p), s, f)
HEDDLE_STATUS(statx, (int d, const char* p, int f, unsigned m, struct statx* s), d, RealPath(p), f, m, s)
HEDDLE_STATUS(statfs, (const char* p, struct statfs* s), RealPath(p), s)
HEDDLE_STATUS(statfs64, (const char* p, struct statfs64* s), RealPath(p), s)
HEDDLE_STATUS(statvfs, (const char* p, struct statvfs* s), RealPath(p), s)
HEDDLE_STATUS(statvfs64, (const char* p, struct statvfs64* s), RealPath(p), s)
HEDDLE_NAMED(int, access, (const char* p, int m), RealPath(p), m)
HEDDLE_NAMED(int, faccessat, (int d, const char* p, int m, int f), d, RealPath(p), m, f)
HEDDLE_NUMBERED(int, euidaccess, (const char* p, int m), RealPath(p), m)
HEDDLE_NUMBERED(int, eaccess, (const char* p, int m), RealPath(p), m)
HEDDLE_NUMBERED(int, chdir, (const char* p), RealPath(p))

namespace {

// /proc/self is a link that says the number.
ssize_t seen_link(const char* path, char* text, size_t room, ssize_t length) {
  const bool own = path != nullptr && strcmp(path, "/proc/self") == 0;
  if (!own || length <= 0 || program_pid() == static_cast<pid_t>(sys(SYS_getpid))) return length;
  char number[16];
  int digits = 0;
  for (pid_t rest = program_pid(); rest != 0; rest /= 10) number[digits++] = static_cast<char>('0' + rest % 10);
  size_t at = 0;
  while (digits > 0 && at < room) text[at++] = number[--digits];
  return static_cast<ssize_t>(at);
}

}  // namespace

HEDDLE_EXPORT ssize_t readlink(const char* path, char* text, size_t room) noexcept {
  const iovec filled{text, room};
  const auto ask = [&] { return sys(SYS_readlink, static_cast<const char*>(RealPath(path)), text, room); };
  return seen_link(path, text, room, with_errno(ask_kernel({&filled, 1, 0, 1}, ask)));
}
HEDDLE_EXPORT ssize_t readlinkat(int directory, const char* path, char* text, size_t room) noexcept {
  const iovec filled{text, room};
  const auto ask = [&] { return sys(SYS_readlinkat, directory, static_cast<const char*>(RealPath(path)), text, room); };
  return seen_link(path, text, room, with_errno(ask_kernel({&filled, 1, 0, 1}, ask)));
}
