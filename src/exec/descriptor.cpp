#include "exec/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "trace/error.h"

namespace heddle::exec {

Descriptor memory_file(const char* name) {
  Descriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (!file) throw Error(fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
  return file;
}

Descriptor reopened(const Descriptor& file, int flags) {
  Descriptor again(::open(fmt::format("/proc/self/fd/{}", file.get()).c_str(), flags | O_CLOEXEC));
  if (!again) throw Error(fmt::format("cannot reopen a file through /proc: {}", std::strerror(errno)));
  return again;
}

std::string read_from_start(const Descriptor& file) {
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || status.st_size <= 0) return {};
  // A program's stream is open for writing alone.
  Descriptor own;
  if ((::fcntl(file.get(), F_GETFL) & O_ACCMODE) == O_WRONLY) own = reopened(file, O_RDONLY);
  const int from = own ? own.get() : file.get();
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::pread(from, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

void write_all(int fd, const std::string& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(fmt::format("cannot keep {} bytes: {}", bytes.size(), std::strerror(errno)));
    done += static_cast<size_t>(n);
  }
}

}  // namespace heddle::exec
