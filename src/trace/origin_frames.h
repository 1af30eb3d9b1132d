#pragma once
// The calls that a thread is in, walked backwards: a return opens one, the call that made it closes it. What was executed in it waits for the branch
// that decided about it.
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "symbols/control.h"
#include "symbols/displace.h"
#include "trace/block_trace.h"
#include "trace/origin_needs.h"

namespace heddle::trace {

// A function in the code: its module and where it begins. Where none is known: the address of the block.
struct CodePlace {
  uint32_t module = 0;
  uint64_t function = 0;

  friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

// Which branches decide about an instruction, over all modules of a run.
class ControlSource {
 public:
  // `jumps`: where computed jumps went, by module.
  ControlSource(const std::vector<BlockModule>& modules, std::map<uint32_t, symbols::JumpTargets> jumps);

  CodePlace place(uint32_t module, uint64_t pc);
  // Addresses of the branches.
  const std::vector<uint64_t>& branches(uint32_t module, uint64_t pc);

 private:
  struct Function {
    uint64_t begin = 0, end = 0;
    std::unique_ptr<symbols::ControlDependence> control;
  };
  Function* function(uint32_t module, uint64_t pc);

  const std::vector<BlockModule>& modules_;
  std::map<uint32_t, symbols::JumpTargets> jumps_;
  symbols::CodeModules code_;
  std::map<std::pair<uint32_t, uint64_t>, Function> functions_;           // by module and end
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint64_t>> known_;  // by instruction
};

// Something executed in a call: it waits for one of these branches; none of them: for the call itself.
struct Awaited {
  CodePlace where;
  std::vector<uint64_t> branches;
  Need need;
};

struct CallFrame {
  uint64_t at = 0;                   // where its return address lies; 0: it had not returned at the end
  uint32_t number = 0;               // among the calls of the run
  const BlockCode* later = nullptr;  // what was executed next in it
  std::vector<Awaited> awaited;

  // The instruction at `pc` was executed in this call.
  void await(ControlSource& control, uint32_t module, uint64_t pc, const Need& need);
  // The branch was executed: what waited for it.
  Need decide(uint64_t branch);
  // Execution came into that function without a call: what was executed there waits for what led to it.
  Need enter(const CodePlace& function);
  Need all() const;
};

}  // namespace heddle::trace
