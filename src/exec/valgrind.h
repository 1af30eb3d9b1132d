#pragma once
// The Valgrind tool (valgrind/ at the root), which shows the memory accesses of programs that are not instrumented.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "exec/descriptor.h"
#include "exec/target.h"
#include "wire/access_ring.h"

namespace heddle::exec {

// Where the tool and Valgrind's own files are; `missing` says what is not there.
struct ValgrindTool {
  std::string program;    // heddle-amd64-linux
  std::string directory;  // with Valgrind's preloaded library
  std::string missing;

  bool present() const { return missing.empty(); }
};
ValgrindTool find_valgrind_tool();

// Parts of the program's memory that more than one thread has touched, over all runs that were given it: the tool adds to them. What a
// thread did before another came is lost in a run that did not begin with the part known, unless the run was short.
class SharedRegions {
 public:
  SharedRegions();
  std::string path() const;
  size_t with_losses() const;  // parts of which some run did not show everything

 private:
  Descriptor file_;
};

// Which threads read what which others wrote, in one run by the tool.
class MemoryDependences {
 public:
  MemoryDependences();
  std::string path() const;
  std::vector<HeddleDependence> found() const;

 private:
  Descriptor file_;
};

// The blocks that one run by the tool executes (wire/block_trace.h), in shared memory. Of a run that needs more than `bytes` its end is kept.
class BlockTraceFile {
 public:
  explicit BlockTraceFile(size_t bytes);
  ~BlockTraceFile();
  BlockTraceFile(const BlockTraceFile&) = delete;
  BlockTraceFile& operator=(const BlockTraceFile&) = delete;
  std::string path() const;
  std::span<const std::byte> memory() const { return {memory_, size_}; }

 private:
  Descriptor file_;
  std::byte* memory_ = nullptr;
  size_t size_ = 0;
};

// The same program, run by the tool.
Target under_valgrind(const Target& target, const ValgrindTool& tool, const std::vector<std::string>& options);

}  // namespace heddle::exec
