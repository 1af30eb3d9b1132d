// long: one walk over one state; what it needs of others is in origin_needs, origin_frames and statement_marks.
#include "trace/origins.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "trace/origin_frames.h"
#include "trace/origin_needs.h"
#include "trace/statement_marks.h"

namespace heddle::trace {

namespace {

// Registers by their place in Valgrind's state of a thread (VexGuestAMD64State): general ones from 16 on, eight bytes each, in the order of
// their numbers. The vector registers are left to what they are.
constexpr uint32_t general(unsigned number) { return (16 + number * 8) << 8 | 8; }
constexpr uint32_t kRax = general(0), kRcx = general(1), kRdx = general(2), kRsi = general(6), kRdi = general(7);
// The first two vector registers, in which functions return what is no integer (each takes 32 bytes).
constexpr uint32_t kVector0 = 224 << 8 | 64;

constexpr uint64_t kStackBytes = 256 << 10;

std::string_view module_file(std::string_view path) { return path.substr(path.rfind('/') + 1); }

struct ThreadWalk {
  NeededRegisters registers;
  std::vector<CallFrame> frames;
  // What the runtime or the kernel wrote since, where, and who needs it.
  std::vector<std::pair<uint64_t, Need>> outside;
  bool ended = false;  // its ending has been looked at
};

// Bytes that are needed as they were before an event.
struct TornNeed {
  uint64_t before, address, size;
  Need need;
};

class Walk {
 public:
  Walk(const BlockTrace& blocks, const OriginQuestion& question)
      : blocks_(blocks), question_(question), control_(blocks.modules(), jumps()), marks_(question.mark) {
    size_t most = 1;
    for (const auto& e : question.endings) most = std::max<size_t>(most, e.thread + 1);
    threads_.resize(most);
  }

  Origins run() {
    blocks_.backwards([&](const BlockRun& run) {
      if (run.thread >= threads_.size()) threads_.resize(run.thread + 1);
      if (threads_[run.thread].frames.empty()) open_frame(threads_[run.thread], 0);
      begin_memory(run);
      release_torn(run);
      if (run.code == nullptr) {
        written_outside(run, run.words[0], run.words[1]);
      } else if (run.inside) {
        runtime_block(run);
      } else {
        block(run);
      }
      ++order_;
      result_.cut = result_.rows.size() >= question_.most;
      return !result_.cut;
    });
    return std::move(result_);
  }

 private:
  std::map<uint32_t, symbols::JumpTargets> jumps() const {
    std::map<uint32_t, symbols::JumpTargets> found;
    std::map<uint32_t, uint64_t> later;
    blocks_.backwards([&](const BlockRun& run) {
      if (run.code == nullptr || run.inside) return true;
      const BlockCode& b = *run.code;
      if (b.end == kHeddleEndsPlain && b.next == 0 && later[run.thread] != 0) {
        const uint64_t bias = blocks_.modules()[b.module].bias;
        found[b.module][b.last_pc - bias].insert(later[run.thread] - bias);
      }
      if (!b.stub) later[run.thread] = b.pc;
      return true;
    });
    return found;
  }

  void open_frame(ThreadWalk& t, uint64_t at) {
    t.frames.emplace_back();
    t.frames.back().at = at;
    t.frames.back().number = static_cast<uint32_t>(result_.frames.size());
    result_.frames.push_back(at);
  }

  void begin_memory(const BlockRun& run) {
    if (begun_ || question_.size == 0 || run.step >= question_.at_step) return;
    begun_ = true;
    memory_.add(question_.address, question_.size, {kNoOrigin, 0});
  }

  uint32_t line_of(uint32_t module, uint64_t pc) const { return question_.line ? question_.line(module, pc) : 0; }

  // The instruction is an origin: a row for it, and what is known of its access.
  Need add_row(const BlockRun& run, uint64_t pc, OriginKind kind, const Need& need) {
    if (question_.watch != nullptr) {
      question_.watch->needed(run.thread, run.step);
      return {kNoOrigin, need.distance};
    }
    const uint32_t module = run.code->module;
    // Instructions of one line, one after the other, are one step.
    const uint32_t line = line_of(module, pc);
    uint32_t distance = need.distance;
    if (need.row != kNoOrigin) {
      const Origin& other = result_.rows[need.row];
      if (line != 0 && (other.thread != run.thread || line_of(other.module, other.pc) != line))
        distance += kind == OriginKind::kValue ? 1 : 2;
    }
    if (!result_.rows.empty()) {
      Origin& last = result_.rows.back();
      if (last.order == order_ && last.pc == pc && last.thread == run.thread) {
        last.distance = std::min(last.distance, distance);
        if (kind == OriginKind::kBranch) last.kind = kind;
        add_edges(need);
        return {static_cast<uint32_t>(result_.rows.size() - 1), last.distance};
      }
    }
    Origin row;
    row.kind = kind;
    row.thread = run.thread;
    row.step = run.step;
    row.order = order_;
    row.pc = pc;
    row.module = module;
    row.distance = distance;
    row.because = need.row;
    row.frame = threads_[run.thread].frames.back().number;
    result_.rows.push_back(row);
    add_edges(need);
    return {static_cast<uint32_t>(result_.rows.size() - 1), distance};
  }

  // To the last row.
  void add_edges(const Need& need) {
    const auto from = static_cast<uint32_t>(result_.rows.size() - 1);
    if (need.row != kNoOrigin) result_.edges.push_back({need.row, from});
    for (uint32_t other : need.also) {
      if (other != kNoOrigin) result_.edges.push_back({other, from});
    }
  }

  void show_access(const BlockRun& run, const Need& row, const BlockStep& step) {
    if (row.row == kNoOrigin) return;
    Origin& origin = result_.rows[row.row];
    const bool stores = step.kind != kHeddleLoad;
    if (origin.size != 0 && origin.stores && !stores) return;
    origin.stores = stores;
    origin.address = run.address(step.access);
    origin.value = step.kind == kHeddleExchange ? run.value(step.access + 1) : run.value(step.access);
    origin.size = std::min<uint32_t>(step.size, 8);
  }

  void use(ThreadWalk& t, const BlockRun& run, const BlockStep& step, const Need& need) {
    for (uint32_t i = 0; i < step.uses; ++i) {
      const uint32_t place = run.code->uses[step.first_use + i];
      Need wanted = need;
      // Where something lies matters less than what it is.
      if ((place & HEDDLE_FOR_ADDRESS) != 0) wanted.distance += 2;
      if ((place & HEDDLE_TEMPORARY) != 0) {
        temporaries_[place & ~(HEDDLE_TEMPORARY | HEDDLE_FOR_ADDRESS)].join(wanted);
      } else {
        t.registers.add(place, wanted);
      }
    }
    if (step.kind != kHeddleLoad && step.kind != kHeddleExchange) return;
    if (const uint64_t address = run.address(step.access); address != 0) memory_.add(address, step.size, need);
  }

  void await(ThreadWalk& t, const BlockRun& run, uint64_t pc, const Need& need) {
    t.frames.back().await(control_, run.code->module, pc, need);
  }

  Need defined(ThreadWalk& t, const BlockStep& step) {
    if (step.defines == kHeddleNoPlace) return {};
    const bool keep = (step.flags & kHeddleMayDefine) != 0;
    if ((step.defines & HEDDLE_TEMPORARY) == 0) return t.registers.take(step.defines, keep);
    const auto found = temporaries_.find(step.defines & ~HEDDLE_TEMPORARY);
    if (found == temporaries_.end()) return {};
    const Need need = found->second;
    temporaries_.erase(found);
    return need;
  }

  Need stored(const BlockRun& run, const BlockStep& step) {
    if (step.kind != kHeddleStore && step.kind != kHeddleExchange) return {};
    const uint64_t address = run.address(step.access);
    if (address == 0 || (step.kind == kHeddleExchange && run.address(step.access + 1) == 0)) return {};
    note_write(run, step, address);
    return memory_.take(address, step.size, false);
  }

  void note_write(const BlockRun& run, const BlockStep& step, uint64_t address) {
    if (!begun_ || question_.size == 0 || address >= question_.address + question_.size || address + step.size <= question_.address) return;
    if (result_.writes.size() >= 1000) return;
    Origin row;
    row.thread = run.thread;
    row.step = run.step;
    row.order = order_;
    row.pc = step.pc;
    row.module = run.code->module;
    row.address = address;
    row.value = step.kind == kHeddleExchange ? run.value(step.access + 1) : run.value(step.access);
    row.size = std::min<uint32_t>(step.size, 8);
    row.stores = true;
    row.frame = threads_[run.thread].frames.back().number;
    result_.writes.push_back(row);
  }

  void one_step(ThreadWalk& t, const BlockRun& run, const BlockStep& step, bool forced) {
    if (step.kind == kHeddleExit) {
      Need need = t.frames.back().decide(step.pc);
      if (forced || certain_) need.join({kNoOrigin, 0});
      if (need.wanted()) branch(t, run, step, need);
      return;
    }
    Need need = defined(t, step);
    need.join(stored(run, step));
    if (forced) need.join({kNoOrigin, 0});
    if (question_.watch != nullptr) watch_access(t, run, step, need);
    if (!need.wanted() || (step.flags & kHeddleStackPlace) != 0) return;
    if ((step.flags & kHeddlePasses) != 0 && !forced) {
      use(t, run, step, need);
      return;
    }
    const Need row = add_row(run, step.pc, OriginKind::kValue, need);
    if (step.kind != kHeddleCompute) show_access(run, row, step);
    use(t, run, step, row);
    await(t, run, step.pc, row);
  }

  // What is executed for certain needs its addresses. Where orders count: what comes before a write that is needed (WAR, WAW).
  void watch_access(ThreadWalk& t, const BlockRun& run, const BlockStep& step, Need& need) {
    const bool accesses = step.kind == kHeddleLoad || step.kind == kHeddleStore || step.kind == kHeddleExchange;
    const uint64_t address = accesses ? run.address(step.access) : 0;
    if (address == 0 || run.code->code != kHeddleProgramCode) return;
    if (question_.watch->orders()) {
      const auto later = written_.find(address / 8);
      if (later != written_.end() && later->second != run.thread) need.join({kNoOrigin, 0});
      if (need.wanted() && step.kind != kHeddleLoad) written_[address / 8] = run.thread;
    }
    if (!certain_ || need.wanted() || (step.flags & kHeddleStackPlace) != 0) return;
    for (uint32_t i = 0; i < step.uses; ++i) {
      const uint32_t place = run.code->uses[step.first_use + i];
      if ((place & HEDDLE_FOR_ADDRESS) == 0) continue;
      if ((place & HEDDLE_TEMPORARY) != 0) {
        temporaries_[place & ~(HEDDLE_TEMPORARY | HEDDLE_FOR_ADDRESS)].join({kNoOrigin, 0});
      } else {
        t.registers.add(place, {kNoOrigin, 0});
      }
    }
  }

  void branch(ThreadWalk& t, const BlockRun& run, const BlockStep& step, const Need& need) {
    const Need row = add_row(run, step.pc, OriginKind::kBranch, need);
    const BlockCode* later = t.frames.back().later;
    if (row.row != kNoOrigin) result_.rows[row.row].taken = step.target != 0 && later != nullptr && later->pc == step.target;
    use(t, run, step, row);
    await(t, run, step.pc, row);
  }

  // How many of the block's steps were executed: up to the exit that was taken, or the access that failed.
  size_t executed(const ThreadWalk& t, const BlockRun& run) const {
    const std::vector<BlockStep>& steps = run.code->steps;
    size_t least = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      const BlockStep& s = steps[i];
      const bool accesses = s.kind == kHeddleLoad || s.kind == kHeddleStore || s.kind == kHeddleExchange;
      if (accesses && run.address(s.access) != 0) least = i + 1;
    }
    const BlockCode* later = t.frames.back().later;
    for (size_t i = least; later != nullptr && i < steps.size(); ++i) {
      if (steps[i].kind == kHeddleExit && steps[i].target == later->pc && run.code->next != later->pc) return i + 1;
    }
    return steps.size();
  }

  uint64_t last_access(const BlockRun& run) const {
    uint64_t pc = run.code->last_pc;
    for (const BlockStep& s : run.code->steps) {
      if ((s.kind == kHeddleLoad || s.kind == kHeddleStore || s.kind == kHeddleExchange) && run.address(s.access) != 0) pc = s.pc;
    }
    return pc;
  }

  void block(const BlockRun& run) {
    ThreadWalk& t = threads_[run.thread];
    temporaries_.clear();
    certain_ = question_.watch != nullptr && run.code->code == kHeddleProgramCode && question_.watch->is_certain(run.thread);
    const uint64_t fault = fault_of(t, run);
    ends(t, run);
    const size_t count = executed(t, run);
    for (size_t i = count; i > 0; --i) {
      const BlockStep& step = run.code->steps[i - 1];
      // What comes after the instruction that failed was not executed.
      if (fault != 0 && step.pc > fault && count == run.code->steps.size() && run.code->last_pc != fault) continue;
      one_step(t, run, step, is_asked(run, step, fault));
    }
    if (!run.code->stub) t.frames.back().later = run.code;
  }

  bool is_asked(const BlockRun& run, const BlockStep& step, uint64_t fault) const {
    if (fault == 0) return false;
    return question_.instruction ? question_.instruction(run.code->module, step.pc) : step.pc == fault;
  }

  // The instruction that was asked for, if it is one of this block.
  uint64_t fault_of(ThreadWalk& t, const BlockRun& run) {
    if (question_.instruction && !result_.found && run.step < question_.at_step) {
      for (const BlockStep& s : run.code->steps) {
        if (!question_.instruction(run.code->module, s.pc)) continue;
        result_.found = true;
        return run.code->last_pc;
      }
    }
    for (const auto& ending : question_.endings) {
      if (ending.thread != run.thread || !ending.fault || t.ended) continue;
      const uint64_t pc = ending.module.empty() ? last_access(run) : instruction_at(run, ending);
      if (pc == 0) continue;
      t.ended = result_.found = true;
      return pc;
    }
    return 0;
  }

  // The instruction of the block that lies there, or 0.
  uint64_t instruction_at(const BlockRun& run, const OriginQuestion::Ending& ending) const {
    constexpr uint64_t kLongest = 15;
    const BlockModule& module = blocks_.modules()[run.code->module];
    const uint64_t at = ending.offset + module.bias;
    if (at < run.code->pc || at > run.code->last_pc + kLongest || module_file(module.path) != module_file(ending.module)) return 0;
    uint64_t pc = 0;
    // A stack has addresses one less than where execution goes on.
    for (const BlockStep& s : run.code->steps) {
      if (s.pc <= at + 1) pc = std::max(pc, s.pc);
    }
    return pc;
  }

  // How the block ended: a return opens a call, a call closes it.
  void ends(ThreadWalk& t, const BlockRun& run) {
    const BlockCode& b = *run.code;
    if (b.end == kHeddleEndsReturn) {
      returns(t, run);
    } else if (b.end == kHeddleEndsCall) {
      calls(t, run);
    } else if (b.end == kHeddleEndsSystemCall) {
      Need need = t.registers.take(kRax, false);
      need.join(written_for(t, 0));
      if (need.wanted()) gives(t, run, need);
    } else if (const BlockCode* later = t.frames.back().later; later != nullptr && later != &b) {
      const CodePlace to = control_.place(later->module, later->pc);
      if (!(to == control_.place(b.module, b.last_pc))) jumps_to(t, run, to);
    }
  }

  void jumps_to(ThreadWalk& t, const BlockRun& run, const CodePlace& to) {
    const Need need = t.frames.back().enter(to);
    if (!need.wanted()) return;
    for (const BlockStep& s : run.code->steps) {
      if (s.kind == kHeddleExit && s.pc == run.code->last_pc && s.target != 0) {
        branch(t, run, s, need);
        return;
      }
    }
    await(t, run, run.code->last_pc, need);
  }

  // The address of the block's last access: of a call or a return that is where the return address lies.
  static uint64_t stack_place(const BlockRun& run) { return run.code->accesses > 0 ? run.address(run.code->accesses - 1) : 0; }

  void returns(ThreadWalk& t, const BlockRun& run) {
    open_frame(t, stack_place(run));
    // What a call leaves on the stack is nobody's: a copy that reads more than it needs may have met it.
    if (memory_.cells() < 512) memory_.take(stack_place(run) - kStackBytes, kStackBytes, false);
    for (const auto& ending : question_.endings) {
      if (ending.thread != run.thread || ending.fault || t.ended || !ending.argument || !is_main(run)) continue;
      t.ended = result_.found = true;
      t.registers.add(kRax, {kNoOrigin, 0});
      await(t, run, run.code->last_pc, {kNoOrigin, 0});
    }
  }

  bool is_main(const BlockRun& run) const {
    return run.thread == 0 && run.code->code == kHeddleProgramCode && question_.in_main &&
           question_.in_main(run.code->module, run.code->last_pc);
  }

  void calls(ThreadWalk& t, const BlockRun& run) {
    const uint64_t at = stack_place(run);
    const uint64_t after = run.words != nullptr && run.code->accesses > 0 ? run.value(run.code->accesses - 1) : 0;
    Need inside;
    bool closed = false;
    while (t.frames.size() > 1 && t.frames.back().at <= at) {
      closed = closed || t.frames.back().at == at;
      inside.join(t.frames.back().all());
      t.frames.pop_back();
    }
    const BlockCode* later = t.frames.back().later;
    const bool returned = later != nullptr && later->pc == after;
    const bool unreturned = !closed && !returned && t.frames.size() == 1;
    if (unreturned && later != nullptr) {
      // The call had not returned at the end.
      inside.join(t.frames.back().all());
      result_.frames[t.frames.back().number] = at;
      t.frames.clear();
      open_frame(t, 0);
      closed = true;
    }
    if (unreturned) ending_call(t, run);
    const bool opaque = !closed && (returned || later == nullptr);
    if (opaque) inside.join(result_of_outside(t, run));
    if (!inside.wanted()) return;
    if (opaque) {
      gives(t, run, inside);
    } else {
      const Need row = add_row(run, run.code->last_pc, OriginKind::kCall, inside);
      await(t, run, run.code->last_pc, row);
    }
  }

  // A call that did not return, of the program's own: how the thread ended.
  void ending_call(ThreadWalk& t, const BlockRun& run) {
    for (const auto& ending : question_.endings) {
      if (ending.thread != run.thread || ending.fault || t.ended || run.code->code != kHeddleProgramCode) continue;
      t.ended = result_.found = true;
      const Need row = add_row(run, run.code->last_pc, OriginKind::kCall, {kNoOrigin, 0});
      await(t, run, run.code->last_pc, row);
      if (ending.argument) t.registers.add(kRdi, row);
    }
  }

  // What a call gave that was not looked into.
  Need result_of_outside(ThreadWalk& t, const BlockRun& run) {
    Need need = t.registers.take(kRax, false);
    need.join(t.registers.take(kVector0, false));
    for (unsigned number : {1U, 2U, 6U, 7U, 8U, 9U, 10U, 11U}) t.registers.take(general(number), false);
    need.join(written_for(t, stack_place(run)));
    // A thread that this call created: what it was given, and that it ran.
    for (const Birth& birth : question_.births) {
      if (birth.parent != run.thread || birth.child >= threads_.size() || run.step + 1 < birth.step || born_[birth.child]) continue;
      if (run.step >= birth.step) continue;
      born_[birth.child] = true;
      ThreadWalk& child = threads_[birth.child];
      Need of_child = child.registers.take(kRdi, false);
      for (const CallFrame& frame : child.frames) of_child.join(frame.all());
      child.frames.clear();
      open_frame(child, 0);
      if (!of_child.wanted()) continue;
      const Need row = add_row(run, run.code->last_pc, OriginKind::kCall, of_child);
      t.registers.add(kRcx, row);
      await(t, run, run.code->last_pc, row);
    }
    return need;
  }

  void gives(ThreadWalk& t, const BlockRun& run, const Need& need) {
    const Need row = add_row(run, run.code->last_pc, OriginKind::kCall, need);
    for (uint32_t argument : {kRdi, kRsi, kRdx}) t.registers.add(argument, {row.row, row.distance + 1});
    await(t, run, run.code->last_pc, row);
  }

  void written_outside(const BlockRun& run, uint64_t address, uint64_t size) {
    const Need need = memory_.take(address, size, false);
    if (!need.wanted()) return;
    for (const TornUpdate& torn : question_.torn) {
      // Blocks behind an event have seen one more.
      if (torn.thread != run.thread || torn.write + 1 != run.step || !run.inside) continue;
      torn_.push_back({torn.read, address, size, need});
      return;
    }
    threads_[run.thread].outside.push_back({address, need});
  }

  // What the runtime put back was there when it was read: whoever wrote it did so before.
  void release_torn(const BlockRun& run) {
    std::erase_if(torn_, [&](const TornNeed& t) {
      if (run.step > t.before) return false;
      memory_.add(t.address, t.size, t.need);
      return true;
    });
  }

  // What a call wrote for its caller: not what lies below the caller's part of the stack, which is nobody's afterwards.
  static Need written_for(ThreadWalk& t, uint64_t stack) {
    Need need;
    for (const auto& [address, wanted] : t.outside) {
      if (address >= stack || stack - address > kStackBytes) need.join(wanted);
    }
    t.outside.clear();
    return need;
  }

  void runtime_block(const BlockRun& run) {
    // What lies in the frame of a function that has returned is nobody's.
    for (size_t i = run.code->steps.size(); i > 0; --i) {
      const BlockStep& s = run.code->steps[i - 1];
      if (question_.watch != nullptr) {
        if (const auto mark = marks_.look(run, s)) question_.watch->marked(run.thread, *mark);
      }
      if ((s.flags & kHeddleInFrame) != 0) continue;
      if (s.kind == kHeddleStore && run.address(s.access) != 0) written_outside(run, run.address(s.access), s.size);
    }
  }

  const BlockTrace& blocks_;
  const OriginQuestion& question_;
  ControlSource control_;
  std::vector<ThreadWalk> threads_;
  NeededMemory memory_;
  std::map<uint32_t, Need> temporaries_;
  std::map<uint32_t, bool> born_;
  std::vector<TornNeed> torn_;
  Origins result_;
  uint64_t order_ = 0;
  bool begun_ = false;
  // For a watch.
  StatementMarks marks_;
  bool certain_ = false;                            // the block is executed whatever is left out
  std::unordered_map<uint64_t, uint32_t> written_;  // cells of eight bytes that are written later, in a way that is needed, and by whom
};

}  // namespace

Origins find_origins(const BlockTrace& blocks, const OriginQuestion& question) { return Walk(blocks, question).run(); }

}  // namespace heddle::trace
