#pragma once
// Where a value comes from: a dynamic slice, backwards over the blocks that a run executed (Agrawal & Horgan 1990; Execution Reduction, section
// 3.3). One pass from the end to the beginning: what is needed is a set of places (registers of each thread, bytes of memory, branches of each
// call), and each instruction that defines one of them is an origin, and needs what it uses.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trace/block_trace.h"
#include "wire/iteration.h"

namespace heddle::trace {

inline constexpr uint32_t kNoOrigin = UINT32_MAX;

enum class OriginKind : uint8_t {
  kValue,   // it computed or stored what was needed
  kBranch,  // it decided that what was needed was executed
  kCall,    // it called what was needed, or what was not looked into and gave it
};

// An instruction that was executed, and on which what was asked for depends.
struct Origin {
  OriginKind kind = OriginKind::kValue;
  uint32_t thread = 0;  // index in the trace
  uint64_t step = 0;    // how many events there were
  uint64_t order = 0;   // counted backwards from the end of the run
  uint64_t pc = 0;
  uint32_t module = 0;              // of the block trace
  uint32_t distance = 0;            // lines between it and what was asked for
  uint32_t because = kNoOrigin;     // the origin that needed it
  uint64_t address = 0, value = 0;  // of its access, where it has one
  uint32_t size = 0;                // of the value; 0: there is none
  bool stores = false;
  bool taken = false;  // a branch: did it jump
  uint32_t frame = 0;  // the call that it belongs to, in Origins::frames
};

// A thread was created at this event.
struct Birth {
  uint32_t child = 0, parent = 0;
  uint64_t step = 0;
};

// An instruction that reads and writes in two steps: what it had read at one event, the runtime puts back into memory at another before it is
// executed.
struct TornUpdate {
  uint32_t thread = 0;
  uint64_t read = 0, write = 0;  // events
};

// Asked and told about the statements of the run on the way (trace/statements.h). Then no rows are kept.
class OriginWatch {
 public:
  virtual ~OriginWatch() = default;
  // The run said this there.
  virtual void marked(uint32_t thread, const StatementMark& mark) = 0;
  // Is it certain that what the thread does there is executed? Then its branches and addresses are needed.
  virtual bool is_certain(uint32_t thread) const = 0;
  // An instruction that the thread executes there is needed.
  virtual void needed(uint32_t thread, uint64_t step) = 0;
  // Are accesses of other threads needed, too, that come before a write that is?
  virtual bool orders() const = 0;
};

struct OriginQuestion {
  // A thread that failed: what its last call of the program's own depends on, or the instruction that failed.
  struct Ending {
    uint32_t thread = 0;
    bool fault = false;  // by an instruction, not by a call
    std::string module;  // the file that the instruction is in, and its offset there; empty: the last one
    uint64_t offset = 0;
    bool argument = false;  // the call's first argument, or what main returned, is what is wrong
  };
  std::vector<Ending> endings;
  // These bytes, as they were.
  uint64_t address = 0, size = 0;
  // The last execution of one of these instructions.
  std::function<bool(uint32_t module, uint64_t pc)> instruction;
  uint64_t at_step = UINT64_MAX;  // before this event; the endings do not use it
  std::vector<Birth> births;
  std::vector<TornUpdate> torn;
  // A number of the source line that the instruction belongs to; 0: not the program's.
  std::function<uint32_t(uint32_t module, uint64_t pc)> line;
  // Does it belong to the program's main function?
  std::function<bool(uint32_t module, uint64_t pc)> in_main;
  size_t most = 200'000;  // origins
  OriginWatch* watch = nullptr;
  uint64_t mark = 0;  // for the watch: where the run's StatementMark lies
};

struct Origins {
  std::vector<Origin> rows;      // from the end of the run to its beginning
  std::vector<Origin> writes;    // of the bytes that were asked for: all of them, the last one first
  std::vector<uint64_t> frames;  // of calls: where the return address lies; 0: not known
  // Which row needed which, those with the smaller second row first. Of a row that many needed, a few of them.
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  bool cut = false;    // there were more
  bool found = false;  // what was asked for was met in the run
};

Origins find_origins(const BlockTrace& blocks, const OriginQuestion& question);

}  // namespace heddle::trace
