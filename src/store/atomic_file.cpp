#include "store/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "trace/error.h"

namespace heddle::store {

namespace {

[[noreturn]] void cannot(const char* what, const std::string& path, int error) {
  throw Error(fmt::format("cannot {} {}: {}", what, path, std::strerror(error)));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// A name is on the disk only when its directory is. Some file systems do not offer it: then the rename alone must do.
void sync_directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const int fd = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

// A new file under a name that nobody can have put something at: not guessed, not followed if it is a link, not taken if it is there.
int open_beside(const std::string& path, std::string* name) {
  for (int tries = 0; tries < 16; ++tries) {
    uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) return -1;
    *name = fmt::format("{}.{:016x}.new", path, random);
    const int fd = ::open(name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// A device, a pipe or a socket is written to, not replaced: who says /dev/null or /dev/stdout wants it to be there afterwards.
bool is_written_in_place(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return false;
  const bool standard_stream = path == "/dev/stdout" || path == "/dev/stderr" || path.rfind("/dev/fd/", 0) == 0;
  return standard_stream || (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode));
}

void write_in_place(const std::string& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) cannot("write", path, errno);
  int error = write_all(fd, bytes) ? 0 : errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) cannot("write", path, error);
}

}  // namespace

void replace_file(const std::string& path, std::string_view bytes) {
  if (is_written_in_place(path)) return write_in_place(path, bytes);
  std::string beside;
  const int fd = open_beside(path, &beside);
  if (fd < 0) cannot("write", path, errno);
  int error = write_all(fd, bytes) && ::fsync(fd) == 0 ? 0 : errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(beside.c_str());
    cannot("write", path, error);
  }
  sync_directory_of(path);
}

std::string read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) cannot("read", path, errno);
  std::string bytes;
  char block[1 << 16];
  int error = 0;
  while (true) {
    const ssize_t n = ::read(fd, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = errno;
    if (n <= 0) break;
    bytes.append(block, static_cast<size_t>(n));
  }
  ::close(fd);
  if (error != 0) cannot("read", path, error);
  return bytes;
}

void make_directory(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) cannot("create the directory", path, failure.value());
}

}  // namespace heddle::store
