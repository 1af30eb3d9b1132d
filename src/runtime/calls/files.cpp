// Calls on files that never wait for another thread, and are cancellation points all the same.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/engine/run.h"
#include "runtime/memory/library_access.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/kernel_files.h"

using namespace heddle;
using namespace heddle::rt;

// The library's own, after the point.
#define HEDDLE_CANCEL_POINT(name)                                    \
  static decltype(&::name) next;                                     \
  if (next == nullptr) next = next_symbol<decltype(&::name)>(#name); \
  if (active()) test_cancel(__builtin_return_address(0));

namespace {

// `read` is the library's own: what it gives may be input.
template <typename Read>
ssize_t read_file(int fd, const iovec* pieces, int count, Read read) {
  if (!reads_input(fd) || count < 0) return read();
  return with_errno(read_as_input(fd, {pieces, static_cast<size_t>(count), 0, 1}, false, [&]() -> long {
    const ssize_t result = read();
    return result >= 0 ? result : -errno;
  }));
}

}  // namespace

#define HEDDLE_FILE_CALL(result, name, parameters, ...) \
  HEDDLE_EXPORT result name parameters {                \
    HEDDLE_CANCEL_POINT(name)                           \
    return next(__VA_ARGS__);                           \
  }
HEDDLE_FILE_CALL(int, fsync, (int fd), fd)
HEDDLE_FILE_CALL(int, fdatasync, (int fd), fd)
HEDDLE_FILE_CALL(int, msync, (void* at, size_t size, int flags), at, size, flags)
HEDDLE_FILE_CALL(int, tcdrain, (int fd), fd)
HEDDLE_FILE_CALL(int, fallocate, (int fd, int mode, off_t at, off_t size), fd, mode, at, size)
HEDDLE_FILE_CALL(int, sync_file_range, (int fd, off64_t at, off64_t size, unsigned flags), fd, at, size, flags)

HEDDLE_EXPORT ssize_t pread(int fd, void* data, size_t size, off_t at) {
  HEDDLE_CANCEL_POINT(pread)
  descriptor_used(fd, __builtin_return_address(0));
  const iovec piece{data, size};
  const ssize_t result = read_file(fd, &piece, 1, [&] { return next(fd, data, size, at); });
  if (result > 0) library_writes(data, static_cast<size_t>(result), __builtin_return_address(0));
  return result;
}
HEDDLE_EXPORT ssize_t pread64(int fd, void* data, size_t size, off64_t at) __attribute__((alias("pread")));

HEDDLE_EXPORT ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  HEDDLE_CANCEL_POINT(pwrite)
  descriptor_used(fd, __builtin_return_address(0));
  library_reads(data, size, __builtin_return_address(0));
  return next(fd, data, size, at);
}
HEDDLE_EXPORT ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) __attribute__((alias("pwrite")));

HEDDLE_EXPORT ssize_t preadv(int fd, const iovec* pieces, int count, off_t at) {
  HEDDLE_CANCEL_POINT(preadv)
  descriptor_used(fd, __builtin_return_address(0));
  const ssize_t result = read_file(fd, pieces, count, [&] { return next(fd, pieces, count, at); });
  if (result > 0) library_writes_pieces(pieces, static_cast<size_t>(count), result, __builtin_return_address(0));
  return result;
}
HEDDLE_EXPORT ssize_t preadv64(int fd, const iovec* pieces, int count, off64_t at) __attribute__((alias("preadv")));

HEDDLE_EXPORT ssize_t preadv2(int fd, const iovec* pieces, int count, off_t at, int flags) {
  HEDDLE_CANCEL_POINT(preadv2)
  descriptor_used(fd, __builtin_return_address(0));
  const ssize_t result = read_file(fd, pieces, count, [&] { return next(fd, pieces, count, at, flags); });
  if (result > 0) library_writes_pieces(pieces, static_cast<size_t>(count), result, __builtin_return_address(0));
  return result;
}
HEDDLE_EXPORT ssize_t preadv64v2(int fd, const iovec* pieces, int count, off64_t at, int flags) __attribute__((alias("preadv2")));

HEDDLE_EXPORT ssize_t pwritev(int fd, const iovec* pieces, int count, off_t at) {
  HEDDLE_CANCEL_POINT(pwritev)
  descriptor_used(fd, __builtin_return_address(0));
  if (count > 0) library_reads_pieces(pieces, static_cast<size_t>(count), __builtin_return_address(0));
  return next(fd, pieces, count, at);
}
HEDDLE_EXPORT ssize_t pwritev64(int fd, const iovec* pieces, int count, off64_t at) __attribute__((alias("pwritev")));

HEDDLE_EXPORT ssize_t pwritev2(int fd, const iovec* pieces, int count, off_t at, int flags) {
  HEDDLE_CANCEL_POINT(pwritev2)
  descriptor_used(fd, __builtin_return_address(0));
  if (count > 0) library_reads_pieces(pieces, static_cast<size_t>(count), __builtin_return_address(0));
  return next(fd, pieces, count, at, flags);
}
HEDDLE_EXPORT ssize_t pwritev64v2(int fd, const iovec* pieces, int count, off64_t at, int flags) __attribute__((alias("pwritev2")));
