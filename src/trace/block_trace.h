#pragma once
// The blocks of instructions that a run executed, as the Valgrind tool wrote them (wire/block_trace.h).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "wire/block_trace.h"

namespace heddle::trace {

struct BlockStep {
  HeddleStep kind = kHeddleCompute;
  uint32_t flags = 0;
  uint32_t defines = kHeddleNoPlace;
  uint32_t access = 0, size = 0;  // of a load, a store, an exchange
  uint64_t target = 0;            // of an exit; 0: computed
  uint64_t pc = 0;                // of its instruction
  uint32_t first_use = 0, uses = 0;
};

struct BlockCode {
  HeddleBlockCode code = kHeddleProgramCode;
  HeddleBlockEnd end = kHeddleEndsPlain;
  uint64_t pc = 0, next = 0, last_pc = 0;
  uint32_t module = 0, accesses = 0;
  bool stub = false;  // nothing but a jump to where a word of memory says: a linker's
  std::vector<BlockStep> steps;
  std::vector<uint32_t> uses;
};

struct BlockModule {
  std::string path;
  uint64_t bias = 0;
};

// A block that ran, or a write of the kernel (`code` is null then, and `words` are address and size).
struct BlockRun {
  const BlockCode* code = nullptr;
  uint32_t thread = 0;
  bool inside = false;  // the runtime's, or called by it
  uint64_t step = 0;    // how many events there were
  const uint64_t* words = nullptr;

  uint64_t address(uint32_t access) const { return words[access * 2]; }
  uint64_t value(uint32_t access) const { return words[access * 2 + 1]; }
};

class BlockTrace {
 public:
  // The memory must outlive it. Throws Error where it is not such a file.
  explicit BlockTrace(std::span<const std::byte> memory);

  const std::vector<BlockModule>& modules() const { return modules_; }
  uint64_t blocks() const { return head_->blocks; }
  // Of memory, in those blocks.
  uint64_t accesses() const { return head_->accesses; }
  // Bytes written for them, all in all.
  uint64_t bytes() const;
  // The run was too long: only its end is there.
  bool is_cut() const { return head_->chunks > head_->chunk_capacity; }

  // From the last to the first, until `visit` says false.
  void backwards(const std::function<bool(const BlockRun&)>& visit) const;

 private:
  void read_descriptions();
  void read_block(std::span<const uint32_t> words);
  std::span<const uint64_t> chunk(uint64_t number) const;
  std::vector<BlockRun> runs_of(std::span<const uint64_t> chunk) const;

  std::span<const std::byte> memory_;
  const HeddleBlockTrace* head_;
  std::vector<BlockModule> modules_;
  std::unordered_map<uint64_t, BlockCode> blocks_;
};

}  // namespace heddle::trace
