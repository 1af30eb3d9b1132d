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

// The same for an instruction that accesses memory, with what it accesses; or for a call, of which it is not known. `atomic`: it is
// known to access an atomic variable.
std::optional<CodePoint> access_point(const ModuleCode& code, const DecodedFunction& function, uint64_t offset, bool atomic);

// The same place with a breakpoint.
CodePoint without_jump(const CodePoint& point);
// Sorts them; where a jump would overwrite another point's place it becomes a breakpoint.
void keep_apart(std::vector<CodePoint>& points);

// The marked ones among `sites` as code points; `paths` are those of the run's modules. What cannot be had is left out, and named in `refused`.
std::vector<CodePoint> code_points(CodeModules& modules, const std::vector<std::string>& paths, const std::vector<SiteId>& sites,
                                   std::vector<SiteId>* refused = nullptr);

}  // namespace heddle::symbols
