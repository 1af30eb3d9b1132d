#include "store/original_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "store/input_store.h"

namespace heddle::store {

namespace {

constexpr size_t kMostHeld = 400;

uint64_t change_time_of(const struct stat& status) {
  return static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(status.st_mtim.tv_nsec);
}

// Nothing where it cannot be read.
bool read_held(int fd, uint64_t size, std::string* bytes) {
  bytes->resize(size);
  for (size_t done = 0; done < size;) {
    const ssize_t n = ::pread(fd, bytes->data() + done, size - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

OriginalFiles::OriginalFiles()
    : begun_(static_cast<uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count())) {}

OriginalFiles::~OriginalFiles() {
  for (const auto& [path, held] : held_) ::close(held.fd);
}

void OriginalFiles::hold(const InputLog& log) {
  for (; seen_ < log.files.size(); ++seen_) {
    const InputFile& file = log.files[seen_];
    if (file.changed == 0 || file.changed >= begun_ || held_.size() >= kMostHeld || held_.contains(file.path)) continue;
    const int fd = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    struct stat status {};
    const bool same = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && change_time_of(status) == file.changed &&
                      static_cast<uint64_t>(status.st_size) == file.size;
    if (same) {
      held_.emplace(file.path, Held{fd, file.changed});
    } else {
      ::close(fd);
    }
  }
}

std::vector<RecordedFile> OriginalFiles::replaced() const {
  std::vector<RecordedFile> all;
  uint64_t bytes = 0;
  for (const auto& [path, held] : held_) {
    struct stat now {
    }, then{};
    if (::fstat(held.fd, &then) != 0 || change_time_of(then) != held.changed) continue;
    if (static_cast<uint64_t>(then.st_size) > kMostOfOneFile) continue;
    const bool there = ::stat(path.c_str(), &now) == 0;
    if (there && now.st_ino == then.st_ino && now.st_dev == then.st_dev) continue;
    bytes += static_cast<uint64_t>(then.st_size);
    if (bytes > kMostOfAllFiles) break;
    RecordedFile file{path, {}, held.changed};
    if (read_held(held.fd, static_cast<uint64_t>(then.st_size), &file.bytes)) all.push_back(std::move(file));
  }
  return all;
}

}  // namespace heddle::store
