// Opening files: what is opened for reading is input to the run, and a FIFO's two ends wait for each other.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/random_streams.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/descriptor_call.h"
#include "runtime/outside/input_log.h"
#include "runtime/outside/kernel_files.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/recorded_names.h"
#include "runtime/outside/trap.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// FIFOs by inode, and how often this process has opened either end: a reader's open() waits for a writer.
struct Fifo {
  uint64_t inode;
  uint32_t readers, writers;
};
constexpr uint32_t kMaxFifos = 64;
Fifo g_fifos[kMaxFifos];

Fifo* fifo_of(uint64_t inode) {
  for (Fifo& f : g_fifos) {
    if (f.inode == inode || f.inode == 0) {
      f.inode = inode;
      return &f;
    }
  }
  return &g_fifos[0];
}

bool has_come(int fd) {
  pollfd watched{fd, POLLIN, 0};
  return descriptors_ready({&watched, 1, false});
}

// Opens one end without waiting, then stands at points until the other end is there, as open() would wait inside the kernel.
long open_fifo(int directory, const char* path, int flags, uint64_t inode, void* pc) {
  Fifo* fifo = fifo_of(inode);
  const int mode = flags & O_ACCMODE;
  Pending p{};
  p.op = Op::kConnect;
  p.site = caller_site(pc);
  p.interrupt = Interrupt::kUnlessRestart;
  p.cancels = true;
  long fd = -1;
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) {
      if (fd >= 0) sys(SYS_close, fd);
      return -EINTR;
    }
    if (fd < 0) {
      fd = sys(SYS_openat, directory, path, flags | O_NONBLOCK, 0);
      if (fd >= 0 && mode != O_WRONLY) ++fifo->readers;
      if (fd >= 0 && mode != O_RDONLY) ++fifo->writers;
      if (fifo->readers != 0 && fifo->writers != 0 && fd >= 0) made_inside(static_cast<int>(fd), static_cast<int>(fd));
    }
    const bool alone =
        mode == O_WRONLY ? fd == -ENXIO : mode == O_RDONLY && fd >= 0 && fifo->writers == 0 && !has_come(static_cast<int>(fd));
    mark_try(e, alone);
    if (!alone) break;
  }
  if (fd < 0) return fd;
  sys(SYS_fcntl, fd, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC));
  return fd;
}

// A file that may have to be made. One that the recording made is there now: then it is opened all the same.
template <typename Open, typename Again>
long create(Open open, Again open_again) {
  if (!keeps_names()) return open();
  long recorded = 0;
  if (!replays_inputs()) {
    const long fd = open();
    log_input(kMissingName, {}, fd < 0 ? fd : 0);
    return fd;
  }
  if (!take_input(kMissingName, {}, &recorded)) return open();
  log_input(kMissingName, {}, recorded);
  if (recorded < 0 && replays_exactly()) return recorded;
  const long fd = open();
  return fd == -EEXIST && replays_exactly() ? open_again() : fd;
}

constexpr const char* kAnyOfKernel = "/proc/version";

long open_at(int directory, const char* named, int flags, mode_t mode, void* pc) {
  const RealPath path(named);
  if (active()) test_cancel(pc);
  long looked = 0;
  if (active() && (flags & O_NONBLOCK) == 0 && named != nullptr) {
    struct stat status;
    looked = sys(SYS_newfstatat, directory, static_cast<const char*>(path), &status, 0);
    if (looked == 0 && S_ISFIFO(status.st_mode)) return open_fifo(directory, path, flags, status.st_ino, pc);
  }
  // Then it is not there for an open either: a server looks for many a file in vain.
  const bool missing = looked == -ENOENT && (flags & (O_CREAT | O_NOFOLLOW | O_PATH | O_TMPFILE)) == 0;
  const auto opens = [&] {
    const long fd = missing ? looked : sys(SYS_openat, directory, static_cast<const char*>(path), flags, mode);
    // It was there when it was recorded, and what it said is in the recording.
    const bool gone = fd < 0 && active() && replays_inputs() && is_path_of_kernel(named);
    return gone ? sys(SYS_openat, AT_FDCWD, kAnyOfKernel, O_RDONLY | (flags & O_CLOEXEC), 0) : fd;
  };
  const long fd = (flags & O_CREAT) == 0
                      ? ask_for_name(opens)
                      : create(opens, [&] { return sys(SYS_openat, directory, static_cast<const char*>(path), flags & ~O_EXCL, mode); });
  if (fd >= 0 && (flags & O_ACCMODE) != O_WRONLY && (flags & (O_PATH | O_DIRECTORY)) == 0) log_file(static_cast<int>(fd), flags);
  return fd;
}

mode_t mode_of(int flags, va_list arguments) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? va_arg(arguments, mode_t) : 0;
}

using Opener = FILE* (*)(const char*, const char*);

FILE* open_stream(Opener real_open, const char* named, const char* mode, void* pc) {
  const RealPath path(named);
  struct stat status;
  if (active() && sys(SYS_newfstatat, AT_FDCWD, static_cast<const char*>(path), &status, 0) == 0 && S_ISFIFO(status.st_mode)) {
    const int access = strchr(mode, '+') != nullptr ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    const long fd = with_errno(open_fifo(AT_FDCWD, path, access | (strchr(mode, 'e') != nullptr ? O_CLOEXEC : 0), status.st_ino, pc));
    return fd < 0 ? nullptr : fdopen(static_cast<int>(fd), mode);
  }
  FILE* stream = nullptr;
  bool asked = false;
  if (mode[0] != 'r') {
    stream = real_open(path, mode);
  } else if (const long error = ask_for_name([&]() -> long {
               asked = true;
               stream = real_open(path, mode);
               if (stream == nullptr && active() && replays_inputs() && is_path_of_kernel(named)) stream = real_open(kAnyOfKernel, mode);
               return stream != nullptr ? 0 : -errno;
             });
             error != 0) {
    // The library allocates before it fails: the number of allocations is part of names.
    if (!asked) real_open("", mode);
    errno = static_cast<int>(-error);
  }
  if (stream != nullptr && (mode[0] == 'r' || strchr(mode, '+') != nullptr)) log_file(stream->_fileno);
  if (stream != nullptr && mode[0] == 'r') hold_contents(stream);
  if (stream != nullptr) seed_stream(stream);
  return stream;
}

}  // namespace

#define HEDDLE_HERE __builtin_return_address(0)

HEDDLE_EXPORT int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return static_cast<int>(with_errno(open_at(AT_FDCWD, path, flags, mode, HEDDLE_HERE)));
}
HEDDLE_EXPORT int open64(const char* path, int flags, ...) __attribute__((alias("open")));

HEDDLE_EXPORT int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return static_cast<int>(with_errno(open_at(directory, path, flags, mode, HEDDLE_HERE)));
}
HEDDLE_EXPORT int openat64(int directory, const char* path, int flags, ...) __attribute__((alias("openat")));

HEDDLE_EXPORT int creat(const char* path, mode_t mode) {
  return static_cast<int>(with_errno(open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, HEDDLE_HERE)));
}
HEDDLE_EXPORT int creat64(const char* path, mode_t mode) __attribute__((alias("creat")));

// What fortified programs call where no file can be created.
HEDDLE_EXPORT int __open_2(const char* path, int flags) {
  return static_cast<int>(with_errno(open_at(AT_FDCWD, path, flags, 0, HEDDLE_HERE)));
}
HEDDLE_EXPORT int __open64_2(const char* path, int flags) __attribute__((alias("__open_2")));
HEDDLE_EXPORT int __openat_2(int directory, const char* path, int flags) {
  return static_cast<int>(with_errno(open_at(directory, path, flags, 0, HEDDLE_HERE)));
}
HEDDLE_EXPORT int __openat64_2(int directory, const char* path, int flags) __attribute__((alias("__openat_2")));

HEDDLE_EXPORT FILE* fopen(const char* path, const char* mode) {
  static Opener library;
  if (library == nullptr) library = next_symbol<Opener>("fopen");
  return open_stream(library, path, mode, HEDDLE_HERE);
}
HEDDLE_EXPORT FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));

HEDDLE_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  static FILE* (*library)(const char*, const char*, FILE*);
  if (library == nullptr) library = next_symbol<FILE* (*)(const char*, const char*, FILE*)>("freopen");
  forget_descriptor(stream->_fileno);
  FILE* again = library(path, mode, stream);
  if (again != nullptr && path != nullptr && (mode[0] == 'r' || strchr(mode, '+') != nullptr)) log_file(again->_fileno);
  return again;
}
HEDDLE_EXPORT FILE* freopen64(const char* path, const char* mode, FILE* stream) __attribute__((alias("freopen")));

HEDDLE_EXPORT FILE* fdopen(int fd, const char* mode) noexcept {
  static FILE* (*library)(int, const char*);
  if (library == nullptr) library = next_symbol<FILE* (*)(int, const char*)>("fdopen");
  FILE* stream = library(fd, mode);
  if (stream != nullptr) catch_stream(fd);
  if (stream == nullptr || !active() || mode[0] != 'r') return stream;
  hold_contents(stream);
  seed_stream(stream);
  return stream;
}
