// The streams that the program was started with look in a replay as they did in the recording: a program may ask whether it writes to a file.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"
#include "runtime/outside/kernel_files.h"

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT int fstat(int fd, struct stat* status) noexcept {
  const iovec filled{status, sizeof *status};
  return static_cast<int>(with_errno(ask_kernel({&filled, 1, 1, 0}, [&]() -> long {
    const struct stat* recorded = in_world() ? recorded_stream(fd) : nullptr;
    if (recorded == nullptr) return sys(SYS_fstat, fd, status);
    memcpy(status, recorded, sizeof *status);
    return 0;
  })));
}
HEDDLE_EXPORT int fstat64(int fd, struct stat64* status) noexcept __attribute__((alias("fstat")));

HEDDLE_EXPORT off_t lseek(int fd, off_t offset, int whence) noexcept {
  const struct stat* recorded = in_world() && fd != 0 ? recorded_stream(fd) : nullptr;
  if (recorded != nullptr && (S_ISFIFO(recorded->st_mode) || S_ISSOCK(recorded->st_mode))) return with_errno(-ESPIPE);
  const auto seek = [&] { return sys(SYS_lseek, fd, offset, whence); };
  return with_errno(reads_input(fd) ? change_files(seek) : seek());
}
HEDDLE_EXPORT off64_t lseek64(int fd, off64_t offset, int whence) noexcept __attribute__((alias("lseek")));
