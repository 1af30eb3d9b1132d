// syscall(): calls about files, messages and the machine that have an interposer of their own. libuv (node, named), Rust's and Go's kin ask the
// kernel in this way, and what it says is input like any other.
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/syscalls.h"
#include "runtime/engine/run.h"
#include "runtime/outside/kernel_files.h"
#include "runtime/outside/recorded_names.h"

namespace heddle::rt {

namespace {

template <typename T>
T* at(long value) {
  return reinterpret_cast<T*>(value);
}
int number_of(long value) { return static_cast<int>(value); }
size_t size_of(long value) { return static_cast<size_t>(value); }

// The kernel's own entries of a directory, as they are.
long list_directory(long fd, char* entries, size_t size) {
  const iovec filled{entries, size};
  return ask_kernel({&filled, 1, 0, 1}, [&] { return sys(SYS_getdents64, fd, entries, size); });
}

bool forwarded_name_call(long number, const long* a, long* result) {
  const auto* path = at<const char>(a[0]);
  const auto* below = at<const char>(a[1]);
  switch (number) {
    case SYS_open: *result = open(path, number_of(a[1]), static_cast<mode_t>(a[2])); return true;
    case SYS_openat: *result = openat(number_of(a[0]), below, number_of(a[2]), static_cast<mode_t>(a[3])); return true;
    case SYS_creat: *result = creat(path, static_cast<mode_t>(a[1])); return true;
    case SYS_access: *result = access(path, number_of(a[1])); return true;
    case SYS_faccessat: *result = faccessat(number_of(a[0]), below, number_of(a[2]), 0); return true;
    case SYS_stat: *result = stat(path, at<struct stat>(a[1])); return true;
    case SYS_lstat: *result = lstat(path, at<struct stat>(a[1])); return true;
    case SYS_fstat: *result = fstat(number_of(a[0]), at<struct stat>(a[1])); return true;
    case SYS_newfstatat: *result = fstatat(number_of(a[0]), below, at<struct stat>(a[2]), number_of(a[3])); return true;
    case SYS_statx:
      *result = statx(number_of(a[0]), below, number_of(a[2]), static_cast<unsigned>(a[3]), at<struct statx>(a[4]));
      return true;
    case SYS_statfs: *result = statfs(path, at<struct statfs>(a[1])); return true;
    case SYS_fstatfs: *result = fstatfs(number_of(a[0]), at<struct statfs>(a[1])); return true;
    case SYS_readlink: *result = readlink(path, at<char>(a[1]), size_of(a[2])); return true;
    case SYS_readlinkat: *result = readlinkat(number_of(a[0]), below, at<char>(a[2]), size_of(a[3])); return true;
    case SYS_mkdir: *result = mkdir(path, static_cast<mode_t>(a[1])); return true;
    case SYS_mkdirat: *result = mkdirat(number_of(a[0]), below, static_cast<mode_t>(a[2])); return true;
    case SYS_rmdir: *result = rmdir(path); return true;
    case SYS_unlink: *result = unlink(path); return true;
    case SYS_unlinkat: *result = unlinkat(number_of(a[0]), below, number_of(a[2])); return true;
    case SYS_rename: *result = rename(path, below); return true;
    case SYS_renameat: *result = renameat(number_of(a[0]), below, number_of(a[2]), at<const char>(a[3])); return true;
    case SYS_renameat2:
      *result = renameat2(number_of(a[0]), below, number_of(a[2]), at<const char>(a[3]), static_cast<unsigned>(a[4]));
      return true;
    case SYS_link: *result = link(path, below); return true;
    case SYS_symlink: *result = symlink(path, below); return true;
    case SYS_truncate: *result = truncate(path, a[1]); return true;
    case SYS_ftruncate: *result = ftruncate(number_of(a[0]), a[1]); return true;
    case SYS_getdents64: *result = with_errno(list_directory(a[0], at<char>(a[1]), size_of(a[2]))); return true;
    default: return false;
  }
}

bool forwarded_data_call(long number, const long* a, long* result) {
  const int fd = number_of(a[0]);
  const auto* pieces = at<const iovec>(a[1]);
  switch (number) {
    case SYS_lseek: *result = lseek(fd, a[1], number_of(a[2])); return true;
    case SYS_pread64: *result = pread(fd, at<void>(a[1]), size_of(a[2]), a[3]); return true;
    case SYS_pwrite64: *result = pwrite(fd, at<const void>(a[1]), size_of(a[2]), a[3]); return true;
    case SYS_preadv: *result = preadv(fd, pieces, number_of(a[2]), a[3]); return true;
    case SYS_pwritev: *result = pwritev(fd, pieces, number_of(a[2]), a[3]); return true;
    case SYS_preadv2: *result = preadv2(fd, pieces, number_of(a[2]), a[3], number_of(a[5])); return true;
    case SYS_pwritev2: *result = pwritev2(fd, pieces, number_of(a[2]), a[3], number_of(a[5])); return true;
    case SYS_sendfile: *result = sendfile(fd, number_of(a[1]), at<off_t>(a[2]), size_of(a[3])); return true;
    case SYS_splice:
      *result = splice(fd, at<loff_t>(a[1]), number_of(a[2]), at<loff_t>(a[3]), size_of(a[4]), static_cast<unsigned>(a[5]));
      return true;
    case SYS_sendmsg: *result = sendmsg(fd, at<const msghdr>(a[1]), number_of(a[2])); return true;
    case SYS_recvmsg: *result = recvmsg(fd, at<msghdr>(a[1]), number_of(a[2])); return true;
    case SYS_sendmmsg: *result = sendmmsg(fd, at<mmsghdr>(a[1]), static_cast<unsigned>(a[2]), number_of(a[3])); return true;
    case SYS_recvmmsg:
      *result = recvmmsg(fd, at<mmsghdr>(a[1]), static_cast<unsigned>(a[2]), number_of(a[3]), at<timespec>(a[4]));
      return true;
    case SYS_bind: *result = bind(fd, at<const sockaddr>(a[1]), static_cast<socklen_t>(a[2])); return true;
    case SYS_listen: *result = listen(fd, number_of(a[1])); return true;
    case SYS_socketpair: *result = socketpair(fd, number_of(a[1]), number_of(a[2]), at<int>(a[3])); return true;
    default: return false;
  }
}

bool forwarded_machine_call(long number, const long* a, long* result) {
  switch (number) {
    case SYS_pipe: *result = pipe(at<int>(a[0])); return true;
    case SYS_pipe2: *result = pipe2(at<int>(a[0]), number_of(a[1])); return true;
    case SYS_sysinfo: *result = sysinfo(at<struct sysinfo>(a[0])); return true;
    case SYS_gettimeofday: *result = gettimeofday(at<timeval>(a[0]), at<void>(a[1])); return true;
    case SYS_time: *result = time(at<time_t>(a[0])); return true;
    case SYS_times: *result = times(at<tms>(a[0])); return true;
    case SYS_alarm: *result = alarm(static_cast<unsigned>(a[0])); return true;
    case SYS_setitimer:
      *result = setitimer(static_cast<__itimer_which_t>(a[0]), at<const itimerval>(a[1]), at<itimerval>(a[2]));
      return true;
    case SYS_getitimer: *result = getitimer(static_cast<__itimer_which_t>(a[0]), at<itimerval>(a[1])); return true;
    default: return false;
  }
}

}  // namespace

bool forwarded_file_call(long number, const long* a, long* result) {
  return forwarded_name_call(number, a, result) || forwarded_data_call(number, a, result) || forwarded_machine_call(number, a, result);
}

}  // namespace heddle::rt
