#pragma once
// Instructions moved elsewhere: what a process needs to have a jump or a breakpoint at a place in the code, and to do there what the code did.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbols/machine_code.h"
#include "wire/code_point.h"

namespace heddle::symbols {

// The instruction at the offset, and those after it that a jump in its place overwrites. Nothing: it cannot be moved (a call, a system
// call, a short branch without a long form), or it is not where an instruction begins.
std::optional<CodePoint> displace(const ModuleCode& code, const DecodedFunction& function, uint64_t offset);

// CodeModules by their path, each decoded once.
class CodeModules {
 public:
  const ModuleCode& at(const std::string& path);

 private:
  std::map<std::string, std::unique_ptr<ModuleCode>> known_;
};

// The waiting loops among `sites` as code points, in their order; `paths` are those of the run's modules. What cannot be had is left out.
std::vector<CodePoint> loop_points(CodeModules& modules, const std::vector<std::string>& paths, const std::vector<SiteId>& sites);

}  // namespace heddle::symbols
