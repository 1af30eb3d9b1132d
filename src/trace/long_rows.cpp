#include "trace/long_rows.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <mutex>

namespace heddle::trace {

namespace {

struct Mapped {
  std::mutex mutex;
  std::map<void*, size_t> bytes;
};

// Never destroyed: traces may be, after it would.
Mapped& mapped() {
  static auto* const all = new Mapped;
  return *all;
}

// The whole of the file is on the disk before it is mapped: a full disk is no signal later.
void* map_file(size_t bytes) {
  std::error_code failure;
  const std::filesystem::path where = std::filesystem::temp_directory_path(failure);
  if (failure) return nullptr;
  const int file = ::open(where.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  void* rows = MAP_FAILED;
  if (::posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0)
    rows = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return rows == MAP_FAILED ? nullptr : rows;
}

}  // namespace

void* map_long_rows(size_t bytes) {
  void* const rows = map_file(bytes);
  if (rows == nullptr) return nullptr;
  Mapped& all = mapped();
  const std::lock_guard lock(all.mutex);
  for (const auto& [other, size] : all.bytes) ::madvise(other, size, MADV_DONTNEED);
  all.bytes.emplace(rows, bytes);
  return rows;
}

bool unmap_long_rows(void* rows) {
  Mapped& all = mapped();
  const std::lock_guard lock(all.mutex);
  const auto at = all.bytes.find(rows);
  if (at == all.bytes.end()) return false;
  ::munmap(at->first, at->second);
  all.bytes.erase(at);
  return true;
}

}  // namespace heddle::trace
