#pragma once
// The address space of another process, as /proc tells it.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "exec/descriptor.h"
#include "trace/checkpoint.h"

namespace heddle::exec {

// Throws Error where it cannot be read.
std::vector<MemoryMapping> mappings_of(pid_t pid);

// Put there by the kernel, the same in every process: neither saved nor mapped.
bool is_kernels(const MemoryMapping& mapping);
bool is_stack(const MemoryMapping& mapping);
bool is_channel(const MemoryMapping& mapping);
// Of a file that can be opened again by its path.
bool is_of_file(const MemoryMapping& mapping);

// What a file was like when it was mapped; all 0: there is none.
struct FileStamp {
  uint64_t size = 0;
  uint64_t changed = 0;  // ns
};
FileStamp stamp_of(const std::string& path);

// Reads of another process's memory.
class ProcessMemory {
 public:
  explicit ProcessMemory(pid_t pid);
  void read(uint64_t address, char* to, size_t bytes) const;  // throws Error
  // A hash of the code that the kernel lends to programs.
  uint64_t hash_of_vdso(const std::vector<MemoryMapping>& mappings) const;

 private:
  Descriptor file_;
};

}  // namespace heddle::exec
