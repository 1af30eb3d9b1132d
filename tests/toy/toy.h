#pragma once
// Toy programs: threads as lists of steps, run in memory under a Plan by the same Director as a real target. A search or a pass is tested
// against them without a process.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace heddle::test::toy {

class Run;

// One operation. `object` names a variable, lock, condition, semaphore or (for create and join) a body. `act` runs when the operation
// executes and may jump.
struct Step {
  Op op = Op::kNone;
  int object = 0;
  std::function<void(Run&)> act;
  int mutex = 0;  // cond_wait: the mutex it releases
};

// Steps first to last of a body: each time that a thread comes to the first of them is an iteration of the loop.
struct Block {
  int body;
  size_t first, last;
  LoopId loop;
};

struct Program {
  std::vector<std::vector<Step>> bodies;  // [0] is main
  uint64_t event_limit = 10'000;
  bool together = false;  // every body is a thread that runs from the beginning, without creation and start: the papers' examples
  std::vector<int> code;  // body -> the body whose code it is, for threads that run the same function; empty = each its own
  std::vector<Block> blocks;
  Trace run(const Plan& plan) const;
};

// What a step's action may do: read and write variables, jump, fail.
class Run {
 public:
  std::map<int, int64_t> vars;
  std::map<std::pair<uint32_t, int>, int64_t> registers;  // (thread, register)
  int64_t& reg(int index) { return registers[{current, index}]; }
  void jump(size_t step) { next_step = step; }
  void fail(std::string message) { failure = std::move(message); }
  void exit_with(int code) { exit_code = code; }

  uint32_t current = 0;
  size_t next_step = 0;
  uint64_t value = 0;  // recorded in the event
  std::string failure;
  int exit_code = -1;
};

Step create(int body);
Step join(int body);
Step lock(int mutex);
Step try_lock(int mutex, std::function<void(Run&, bool got)> act);
Step unlock(int mutex);
Step cond_wait(int cond, int mutex);  // two operations, as the contract says
Step cond_timed_wait(int cond, int mutex);
Step signal(int cond);
Step broadcast(int cond);
Step sem_wait(int sem);
Step sem_post(int sem);
Step yield();
Step sleep();
Step load(int var, int reg);
Step store(int var, int64_t constant);
Step store_reg(int var, int reg, int64_t plus = 0);
Step read(int var, std::function<void(Run&)> act);                                // a load with an action
Step write(int var, std::function<void(Run&)> act);                               // a store with an action
Step check(int var, std::function<bool(const Run&)> holds, std::string message);  // a load that fails the run when `holds` is false

}  // namespace heddle::test::toy
