#include "store/user_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "store/atomic_file.h"
#include "trace/error.h"

namespace heddle::store {

namespace {

std::string state_directory() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') return std::string(state) + "/heddle";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') {
    const passwd* user = ::getpwuid(::getuid());
    home = user != nullptr ? user->pw_dir : nullptr;
  }
  if (home == nullptr || *home != '/') throw Error("no home directory to keep a key in");
  return std::string(home) + "/.local/state/heddle";
}

// A key that others can read proves nothing.
Key read_key(const std::string& path, int fd) {
  struct stat status {};
  Key key{};
  const bool mine = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 077) == 0;
  const bool whole = mine && ::read(fd, key.data(), key.size()) == static_cast<ssize_t>(key.size());
  ::close(fd);
  if (!mine) throw Error(fmt::format("{} is not a file that only its owner can read", path));
  if (!whole) throw Error(fmt::format("{} is damaged", path));
  return key;
}

Key load_or_make() {
  const std::string directory = state_directory();
  const std::string path = directory + "/key";
  if (const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC); fd >= 0) return read_key(path, fd);
  if (errno != ENOENT) throw Error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  make_directory(directory);
  Key key{};
  ::randombytes_buf(key.data(), key.size());
  // Made beside and linked into place: of two tools that make one at the same time, both use the first.
  std::string beside = path + ".XXXXXX";
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  bool made = fd >= 0 && ::write(fd, key.data(), key.size()) == static_cast<ssize_t>(key.size()) && ::fsync(fd) == 0;
  int error = errno;
  if (fd >= 0) ::close(fd);
  if (made && ::link(beside.c_str(), path.c_str()) != 0) {
    error = errno;
    made = error == EEXIST;
  }
  if (fd >= 0) ::unlink(beside.c_str());
  if (!made) throw Error(fmt::format("cannot write {}: {}", path, std::strerror(error)));
  const int there = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (there < 0) throw Error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return read_key(path, there);
}

struct Known {
  std::optional<Key> key;
  std::string complaint;
};

const Known& known() {
  static const Known once = [] {
    Known k;
    try {
      if (::sodium_init() < 0) throw Error("libsodium does not work here");
      k.key = load_or_make();
    } catch (const Error& error) {
      k.complaint = error.what();
    }
    return k;
  }();
  return once;
}

}  // namespace

const std::optional<Key>& user_key() { return known().key; }
const std::string& user_key_complaint() { return known().complaint; }

}  // namespace heddle::store
