#pragma once
// Which branches of a function decide whether an instruction is executed: control dependence as Ferrante, Ottenstein & Warren (1987) define
// it, by post-dominators of the function's flow graph (Cooper, Harvey & Kennedy 2001).
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "symbols/machine_code.h"

namespace heddle::symbols {

// Where computed jumps went, by their offset: what a run has shown.
using JumpTargets = std::map<uint64_t, std::set<uint64_t>>;

class ControlDependence {
 public:
  ControlDependence(const DecodedFunction& function, const JumpTargets& jumps);

  // The offsets of the branches that the instruction at the offset depends on; none: it is executed whenever the function is.
  const std::vector<uint64_t>& branches(uint64_t offset) const;

 private:
  struct Block {
    size_t first, last;  // instructions
    std::vector<size_t> next, before;
    std::vector<uint64_t> branches;
  };

  void make_blocks(const DecodedFunction& function, const JumpTargets& jumps);
  void connect(const DecodedFunction& function, const JumpTargets& jumps);
  std::vector<size_t> order_from_exit() const;
  std::vector<size_t> post_dominators() const;

  std::vector<Block> blocks_;                   // the last one is the exit
  std::map<uint64_t, size_t> block_by_offset_;  // of its first instruction
};

}  // namespace heddle::symbols
