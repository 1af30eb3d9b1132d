#include "runtime/outside/kernel_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/sys.h"

namespace heddle::rt {

namespace {

constexpr size_t kMostContents = 16 << 20;  // of one file

char* map_contents() {
  const long at = sys(SYS_mmap, 0, kMostContents, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at < 0 && at > -4096 ? nullptr : reinterpret_cast<char*>(at);
}

// How many bytes, or -errno.
long read_all(int fd, char* to) {
  size_t size = 0;
  while (size < kMostContents) {
    const long n = sys(SYS_read, fd, to + size, kMostContents - size);
    if (n < 0) return size != 0 ? static_cast<long>(size) : n;
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  return static_cast<long>(size);
}

// The number now names a file with these bytes.
void put_in_place(int fd, const char* bytes, size_t size) {
  const long flags = sys(SYS_fcntl, fd, F_GETFD);
  const long copy = sys(SYS_memfd_create, "kernel", MFD_CLOEXEC);
  if (copy < 0) return;
  for (size_t done = 0; done < size;) {
    const long n = sys(SYS_pwrite64, copy, bytes + done, size - done, done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  sys(SYS_dup3, copy, fd, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  sys(SYS_close, copy);
  forget_descriptor(fd);
}

}  // namespace

bool is_path_of_kernel(const char* path) { return path != nullptr && (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0); }

void hold_contents(FILE* stream) {
  const int fd = stream->_fileno;
  if (!keeps_names() || file_kind(fd) != FileKind::kKernels || (sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY) return;
  char* bytes = map_contents();
  if (bytes == nullptr) return;
  const iovec filled{bytes, kMostContents};
  const long size = input_call(kKernelState, {&filled, 1, 0, 1}, [&] { return read_all(fd, bytes); });
  if (size >= 0) put_in_place(fd, bytes, static_cast<size_t>(size));
  sys(SYS_munmap, bytes, kMostContents);
}

}  // namespace heddle::rt
