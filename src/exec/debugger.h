#pragma once
#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exec/target.h"
#include "trace/checkpoint.h"
#include "trace/plan.h"

namespace heddle::exec {

// A debugger on the program, which will follow the plan on kernel threads. `words`: the debugger and its options; how to start the
// program is added to them. The terminal is the debugger's. `files`: as they were recorded. Returns the debugger's wait status.
int run_in_gdb(const Target& target, const std::string& library, const Plan& plan, const std::vector<std::string>& words,
               const std::vector<RecordedFile>& files = {});

// A process that was made of a checkpoint and waits there for a debugger. Its streams are the tool's; it is killed with this object.
class HeldProcess {
 public:
  HeldProcess(const Target& target, const std::string& library, const Plan& plan, CheckpointSource& source,
              const std::vector<RecordedFile>& files);
  ~HeldProcess();
  HeldProcess(const HeldProcess&) = delete;
  HeldProcess& operator=(const HeldProcess&) = delete;
  pid_t pid() const;
  bool ended();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// A debugger that attaches by itself. `look` is called every few milliseconds while it is there. Returns its wait status.
int run_beside(const Target& target, const std::vector<std::string>& words, const std::function<void()>& look);

}  // namespace heddle::exec
