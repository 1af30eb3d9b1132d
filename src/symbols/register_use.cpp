#include "symbols/register_use.h"

#include <set>

namespace heddle::symbols {

namespace {

constexpr size_t kMostLookedAt = 256;  // instructions
constexpr uint32_t bit(int reg) { return 1u << reg; }
// By the calling convention, numbers as in instructions: a call takes nothing in rax, r10 and r11 and leaves other values there (the count of vector
// arguments in al is put there for it), and what is in the registers of arguments and in r11 is nobody's after a return.
constexpr uint32_t kLostAtCall = bit(0) | bit(10) | bit(11);
constexpr uint32_t kLostAtReturn = bit(1) | bit(6) | bit(7) | bit(8) | bit(9) | bit(10) | bit(11);

bool uses(const Instruction& i, uint32_t reg) {
  if ((i.reads & reg) != 0) return true;
  for (const MemoryOperand& m : i.memory) {
    if (!m.known || (m.base >= 0 && bit(m.base) == reg) || (m.index >= 0 && bit(m.index) == reg)) return true;
  }
  return false;
}

class UseSearch {
 public:
  UseSearch(const DecodedFunction& function, uint32_t reg) : function_(function), reg_(reg) {}

  bool finds_use(size_t behind) {
    go_to(behind + 1);
    while (!left_.empty() && !used_) {
      const size_t at = left_.back();
      left_.pop_back();
      pass(at);
    }
    return used_;
  }

 private:
  void go_to(std::optional<size_t> at) {
    if (!at || *at >= function_.instructions.size() || seen_.size() >= kMostLookedAt) {
      used_ = true;
    } else if (seen_.insert(*at).second) {
      left_.push_back(*at);
    }
  }

  void pass(size_t at) {
    const Instruction& i = function_.instructions[at];
    used_ = uses(i, reg_);
    if (used_ || (i.replaces & reg_) != 0) return;
    switch (i.kind) {
      case Instruction::Kind::kPlain: go_to(at + 1); return;
      case Instruction::Kind::kBranch:
        go_to(at + 1);
        go_to(function_.at(i.target));
        return;
      case Instruction::Kind::kJump: go_to(function_.at(i.target)); return;
      case Instruction::Kind::kCall:
        if ((kLostAtCall & reg_) != 0) return;
        used_ = (kLostAtReturn & reg_) != 0 || (reg_ & bit(2)) != 0;  // an argument, perhaps
        if (!used_) go_to(at + 1);
        return;
      case Instruction::Kind::kReturn: used_ = (kLostAtReturn & reg_) == 0; return;
      case Instruction::Kind::kIndirectJump:
      case Instruction::Kind::kNotCopied: used_ = true; return;
    }
  }

  const DecodedFunction& function_;
  const uint32_t reg_;
  std::vector<size_t> left_;
  std::set<size_t> seen_;
  bool used_ = false;
};

}  // namespace

bool is_unused_after(const DecodedFunction& function, size_t instruction, int reg) {
  return !UseSearch(function, bit(reg)).finds_use(instruction);
}

}  // namespace heddle::symbols
