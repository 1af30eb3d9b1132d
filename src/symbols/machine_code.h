#pragma once
// The instructions of a module, decoded from its file (Zydis).
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wire/rooms.h"

namespace heddle::symbols {

// A memory operand: where it lies follows from the registers.
struct MemoryOperand {
  int base = -1;  // the number of a register as instructions have it (rax 0 ... r15 15), or -1
  int index = -1;
  uint8_t scale = 1;
  uint8_t size = 0;  // bytes
  bool reads = false, writes = false;
  bool of_thread = false;       // relative to fs or gs: the thread's own
  bool implied = false;         // not written in the instruction: the stack of a push, what a string instruction goes over
  bool of_instruction = false;  // relative to the next instruction: `displacement` is the offset in the module
  bool known = true;            // false: registers that are not kept have a part in it
  int64_t displacement = 0;
};

struct Instruction {
  enum class Kind : uint8_t { kPlain, kBranch, kJump, kCall, kReturn, kIndirectJump, kNotCopied };
  uint64_t offset = 0;  // in the module
  uint8_t length = 0;
  Kind kind = Kind::kPlain;
  uint8_t condition = 0;    // kBranch: the low half of its opcode
  uint64_t target = 0;      // kBranch, kJump, and kCall where it is direct
  uint8_t relative_at = 0;  // where a displacement counted from the next instruction lies; 0: there is none
  bool atomic = false;      // with a lock prefix, or an exchange with memory
  bool exchanges = false;   // xchg with memory
  bool swaps = false;       // compares and swaps
  int with = -1;            // exchanges, swaps: the register that is written to memory
  // Registers by their numbers, a bit each, and the flags as one more (kFlags): what a result may depend on, and what it goes to.
  uint32_t reads = 0, writes = 0;
  uint32_t replaces = 0;  // of `writes`: nothing of what was there is left
  std::vector<MemoryOperand> memory;

  static constexpr uint32_t kFlags = 1 << 16;
  uint64_t end() const { return offset + length; }
};

// It accesses memory that is not the thread's own stack, as far as the instruction shows.
bool may_be_shared(const Instruction& i);

// One function: all of its instructions in the order of their addresses.
struct DecodedFunction {
  uint64_t begin = 0, end = 0;
  std::vector<Instruction> instructions;
  bool has_indirect_jump = false;

  // The instruction that begins there; its index, or nothing.
  std::optional<size_t> at(uint64_t offset) const;
  // The instruction that the byte belongs to.
  std::optional<size_t> around(uint64_t offset) const;
};

class ModuleCode {
 public:
  // Of a file that cannot be read, nothing is known.
  explicit ModuleCode(const std::string& path);
  ~ModuleCode();
  ModuleCode(ModuleCode&&) noexcept;

  // The function that the code at the offset belongs to. Where a function begins and ends is known from the unwind table, which every
  // program has, stripped or not.
  std::optional<DecodedFunction> function(uint64_t offset) const;
  // Where the functions begin, with their ends; sorted.
  struct Range {
    uint64_t begin, end;
  };
  const std::vector<Range>& functions() const { return functions_; }
  // Up to so many bytes of the file's code at the offset.
  std::span<const uint8_t> bytes(uint64_t offset, size_t count) const;
  std::optional<Instruction> instruction(uint64_t offset) const;
  // Does a direct branch of any function lead there? A function's cold part jumps back into its middle.
  bool is_target(uint64_t offset) const;
  // Is it code of a compiler's sanitizer that is linked into the module? What its threads do to each other is no affair of the program's.
  bool is_of_sanitizer(uint64_t offset) const;
  // Instructions that compare and swap, or exchange, with memory; without those of a sanitizer.
  size_t count_exchanges() const;
  // Where instructions are that are atomic by themselves: with a lock prefix, or an exchange with memory; without those of a sanitizer.
  std::vector<uint64_t> atomic_instructions() const;

 private:
  struct File;
  template <typename Visit>
  void each_instruction(Visit visit) const;
  std::unique_ptr<File> file_;
  std::vector<Range> functions_;
  mutable std::optional<std::vector<uint64_t>> targets_;  // of all direct branches, sorted; read when first asked for
  mutable std::optional<std::vector<Range>> sanitizer_;   // functions of a sanitizer, sorted; read when first asked for
};

}  // namespace heddle::symbols
