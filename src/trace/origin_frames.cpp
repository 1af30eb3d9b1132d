#include "trace/origin_frames.h"

#include <algorithm>

namespace heddle::trace {

ControlSource::ControlSource(const std::vector<BlockModule>& modules, std::map<uint32_t, symbols::JumpTargets> jumps)
    : modules_(modules), jumps_(std::move(jumps)) {}

ControlSource::Function* ControlSource::function(uint32_t module, uint64_t pc) {
  if (module >= modules_.size() || modules_[module].path.empty()) return nullptr;
  const uint64_t offset = pc - modules_[module].bias;
  const auto known = functions_.upper_bound({module, offset});
  if (known != functions_.end() && known->first.first == module && known->second.begin <= offset) return &known->second;
  const auto decoded = code_.at(modules_[module].path).function(offset);
  if (!decoded || decoded->instructions.empty()) return nullptr;
  Function& made = functions_[{module, decoded->end}];
  made.begin = decoded->begin;
  made.end = decoded->end;
  made.control = std::make_unique<symbols::ControlDependence>(*decoded, jumps_[module]);
  return &made;
}

CodePlace ControlSource::place(uint32_t module, uint64_t pc) {
  const Function* f = function(module, pc);
  return {module, f != nullptr ? f->begin : pc};
}

const std::vector<uint64_t>& ControlSource::branches(uint32_t module, uint64_t pc) {
  const auto [at, made] = known_.try_emplace({module, pc});
  if (!made) return at->second;
  if (const Function* f = function(module, pc); f != nullptr) {
    const uint64_t bias = modules_[module].bias;
    for (uint64_t branch : f->control->branches(pc - bias)) at->second.push_back(branch + bias);
  }
  return at->second;
}

void CallFrame::await(ControlSource& control, uint32_t module, uint64_t pc, const Need& need) {
  const CodePlace where = control.place(module, pc);
  const std::vector<uint64_t>& branches = control.branches(module, pc);
  for (Awaited& known : awaited) {
    if (!(known.where == where) || known.branches != branches) continue;
    known.need.join(need);
    return;
  }
  awaited.push_back({where, branches, need});
}

Need CallFrame::decide(uint64_t branch) {
  Need all;
  for (const Awaited& a : awaited) {
    if (std::find(a.branches.begin(), a.branches.end(), branch) != a.branches.end()) all.join(a.need);
  }
  std::erase_if(awaited, [&](const Awaited& a) { return std::find(a.branches.begin(), a.branches.end(), branch) != a.branches.end(); });
  return all;
}

Need CallFrame::enter(const CodePlace& function) {
  Need need;
  for (const Awaited& a : awaited) {
    if (a.where == function) need.join(a.need);
  }
  if (need.wanted()) std::erase_if(awaited, [&](const Awaited& a) { return a.where == function; });
  return need;
}

Need CallFrame::all() const {
  Need all;
  for (const Awaited& a : awaited) all.join(a.need);
  return all;
}

}  // namespace heddle::trace
