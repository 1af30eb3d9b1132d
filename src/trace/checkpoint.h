#pragma once
// A recorded run at one of its points, as files can hold it: the memory of its process, and where that process goes on from.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::trace {

struct MemoryMapping {
  uint64_t low = 0, high = 0;
  uint64_t offset = 0;
  std::string flags;  // "rw-p"
  std::string path;   // or a name in brackets; empty: of no file
  uint64_t size = 0;  // of the file, and when it last changed, in ns: another one cannot be mapped in its place
  uint64_t changed = 0;
};

struct Checkpoint {
  uint64_t step = 0;                                  // events before it
  uint64_t clock_ns = 0;                              // the run's own time
  uint64_t real_ms = 0;                               // since the program was started
  uint64_t pause_us = 0;                              // for which the program stood still
  uint64_t mark = 0, fs_base = 0, program_break = 0;  // wire/checkpoint.h
  uint64_t vdso = 0;                                  // hash of the code that the kernel lends to programs
  std::vector<MemoryMapping> mappings;
};

// Who takes one, and who gives it back: first everything but the pages, then the pages in order of their addresses. May throw Error.
class CheckpointSink {
 public:
  CheckpointSink() = default;
  CheckpointSink(const CheckpointSink&) = delete;
  CheckpointSink& operator=(const CheckpointSink&) = delete;
  virtual ~CheckpointSink() = default;
  virtual void begin(const Checkpoint& checkpoint) = 0;
  virtual void pages(uint64_t address, std::string_view bytes) = 0;
  virtual void end() = 0;
};

class CheckpointSource {
 public:
  CheckpointSource() = default;
  CheckpointSource(const CheckpointSource&) = delete;
  CheckpointSource& operator=(const CheckpointSource&) = delete;
  virtual ~CheckpointSource() = default;
  virtual const Checkpoint& checkpoint() const = 0;
  // False: there are no more.
  virtual bool pages(uint64_t* address, std::string* bytes) = 0;
};

}  // namespace heddle::trace
