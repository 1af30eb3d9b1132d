#pragma once
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

#include "wire/rooms.h"

namespace heddle::exec {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// An empty file that lives in memory only. Close-on-exec.
Descriptor memory_file(const char* name);
// The same file under an offset of its own.
Descriptor reopened(const Descriptor& file, int flags);
std::string read_from_start(const Descriptor& file);
// Throws Error when the memory does not suffice.
void write_all(int fd, const std::string& bytes);

}  // namespace heddle::exec
