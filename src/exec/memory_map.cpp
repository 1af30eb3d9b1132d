#include "exec/memory_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "trace/error.h"
#include "trace/hash.h"

namespace heddle::exec {

namespace {

MemoryMapping parse_line(const std::string& line) {
  MemoryMapping m;
  char dash = 0;
  std::string device, inode;
  std::istringstream in(line);
  in >> std::hex >> m.low >> dash >> m.high >> m.flags >> m.offset >> device >> inode;
  std::getline(in >> std::ws, m.path);
  if (!is_of_file(m)) return m;
  const FileStamp stamp = stamp_of(m.path);
  m.size = stamp.size;
  m.changed = stamp.changed;
  return m;
}

}  // namespace

std::vector<MemoryMapping> mappings_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/maps", pid));
  std::vector<MemoryMapping> all;
  for (std::string line; std::getline(file, line);) all.push_back(parse_line(line));
  if (all.empty()) throw Error(fmt::format("the memory map of process {} cannot be read", pid));
  return all;
}

bool is_kernels(const MemoryMapping& m) { return m.path == "[vdso]" || m.path == "[vsyscall]" || m.path.starts_with("[vvar"); }
bool is_stack(const MemoryMapping& m) { return m.path == "[stack]"; }
bool is_channel(const MemoryMapping& m) { return m.path.starts_with("/memfd:heddle-channel"); }
bool is_of_file(const MemoryMapping& m) {
  return m.path.starts_with("/") && !m.path.starts_with("/memfd:") && !m.path.starts_with("/SYSV") && !m.path.ends_with(" (deleted)") &&
         !m.path.starts_with("/dev/");
}

FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {static_cast<uint64_t>(status.st_size),
          static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(status.st_mtim.tv_nsec)};
}

ProcessMemory::ProcessMemory(pid_t pid) : file_(::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!file_) throw Error(fmt::format("the memory of process {} cannot be read: {}", pid, std::strerror(errno)));
}

void ProcessMemory::read(uint64_t address, char* to, size_t bytes) const {
  while (bytes > 0) {
    const ssize_t n = ::pread64(file_.get(), to, bytes, static_cast<off64_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(fmt::format("the memory at {:#x} cannot be read: {}", address, n == 0 ? "it is gone" : std::strerror(errno)));
    address += static_cast<uint64_t>(n);
    to += n;
    bytes -= static_cast<size_t>(n);
  }
}

uint64_t ProcessMemory::hash_of_vdso(const std::vector<MemoryMapping>& mappings) const {
  for (const MemoryMapping& m : mappings) {
    if (m.path != "[vdso]") continue;
    std::string code(m.high - m.low, '\0');
    read(m.low, code.data(), code.size());
    return hash_bytes(code.data(), code.size(), m.low);
  }
  return 0;
}

}  // namespace heddle::exec
