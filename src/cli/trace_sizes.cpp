#include "cli/trace_sizes.h"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

#include "cli/origins.h"
#include "store/packed.h"
#include "store/store_bytes.h"

namespace heddle::cli {

namespace {

constexpr uint64_t kCell = 4;  // bytes: as in the paper
constexpr int kTraceLevel = 9;

// Which interval read what which wrote, from the end of the run to its beginning. With a table for all memory: the run is short by now.
class IntervalGraph {
 public:
  IntervalGraph(const BlockTrace& blocks, const Trace& run) : run_(run), before_(run.slices().size()) {
    blocks_of_.resize(before_.size());
    accesses_of_.resize(before_.size());
    blocks.backwards([&](const BlockRun& block) {
      see(block);
      return true;
    });
  }

  std::vector<bool> relevant() const {
    std::vector<bool> in(before_.size());
    std::deque<size_t> todo;
    if (last_ != kNoIndex) todo.push_back(last_);
    while (!todo.empty()) {
      const size_t at = todo.front();
      todo.pop_front();
      if (in[at]) continue;
      in[at] = true;
      todo.insert(todo.end(), before_[at].begin(), before_[at].end());
    }
    return in;
  }

  size_t interval_of(const BlockRun& block) const {
    const auto slices = run_.slices();
    const uint64_t event = block.step > 0 ? block.step - 1 : 0;
    const auto after = std::upper_bound(slices.begin(), slices.end(), event, [](uint64_t e, const TraceSlice& s) { return e < s.begin; });
    return after == slices.begin() ? 0 : static_cast<size_t>(after - slices.begin()) - 1;
  }
  uint64_t blocks_of(size_t interval) const { return blocks_of_[interval]; }
  uint64_t accesses_of(size_t interval) const { return accesses_of_[interval]; }
  uint64_t edges() const { return edges_; }

 private:
  void see(const BlockRun& block) {
    if (before_.empty()) return;
    const size_t interval = interval_of(block);
    if (last_ == kNoIndex && !block.inside) last_ = interval;
    if (block.code == nullptr) {
      written(block.words[0], block.words[1], interval);
      return;
    }
    if (!block.inside) {
      ++blocks_of_[interval];
      accesses_of_[interval] += block.code->accesses;
    }
    const auto& steps = block.code->steps;
    for (size_t i = steps.size(); i-- > 0;) {
      const BlockStep& step = steps[i];
      const bool loads = step.kind == kHeddleLoad, stores = step.kind == kHeddleStore, both = step.kind == kHeddleExchange;
      if (!loads && !stores && !both) continue;
      const uint64_t address = block.address(step.access);
      if (address == 0) continue;
      if (stores || both) written(address, step.size, interval);
      if ((loads || both) && !block.inside) read(address, step.size, interval);
    }
  }

  void read(uint64_t address, uint64_t size, size_t interval) {
    for (uint64_t cell = address / kCell; cell <= (address + size - 1) / kCell; ++cell) waiting_[cell].insert(interval);
  }

  void written(uint64_t address, uint64_t size, size_t interval) {
    for (uint64_t cell = address / kCell; size != 0 && cell <= (address + size - 1) / kCell; ++cell) {
      const auto at = waiting_.find(cell);
      if (at == waiting_.end()) continue;
      for (size_t reader : at->second) {
        if (reader != interval && before_[reader].insert(interval).second) ++edges_;
      }
      waiting_.erase(at);
    }
  }

  const Trace& run_;
  std::vector<std::set<size_t>> before_;  // of each interval: those it depends on
  std::vector<uint64_t> blocks_of_, accesses_of_;
  std::unordered_map<uint64_t, std::set<size_t>> waiting_;  // by cell: who reads it later
  size_t last_ = kNoIndex;
  uint64_t edges_ = 0;
};

// The blocks of these intervals, from the last to the first: where each begins and what it accessed, as differences.
std::string written_trace(const BlockTrace& blocks, const IntervalGraph& graph, const std::vector<bool>& wanted) {
  ByteWriter out;
  uint64_t pc = 0, address = 0;
  blocks.backwards([&](const BlockRun& block) {
    if (block.code == nullptr || block.inside || !wanted[graph.interval_of(block)]) return true;
    out.difference(pc, block.code->pc);
    pc = block.code->pc;
    out.number(block.thread);
    for (uint32_t a = 0; a < block.code->accesses; ++a) {
      out.difference(address, block.address(a));
      address = block.address(a);
    }
    return true;
  });
  return pack(out.bytes(), kTraceLevel);
}

}  // namespace

TraceSizes trace_sizes(Campaign& campaign, const Trace& whole, const Trace& reduced, const std::string& bug) {
  TraceSizes sizes;
  const TracedRun after = trace_blocks(campaign, reduced);
  if (!after.why_not.empty()) {
    sizes.why_not = after.why_not;
    return sizes;
  }
  const IntervalGraph graph(*after.blocks, reduced);
  const std::vector<bool> wanted = graph.relevant();
  sizes.blocks.after = after.blocks->blocks();
  sizes.accesses.after = after.blocks->accesses();
  sizes.intervals = wanted.size();
  sizes.edges = graph.edges();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    ++sizes.intervals_traced;
    sizes.blocks_traced += graph.blocks_of(i);
    sizes.accesses_traced += graph.accesses_of(i);
  }
  sizes.seconds_after = after.seconds;
  const std::string trace = written_trace(*after.blocks, graph, wanted);
  sizes.bytes_traced = trace.size();
  BugStore().save_text(bug, "blocks.zst", trace);
  const TracedRun before = trace_blocks(campaign, whole);
  sizes.seconds_before = before.seconds;
  if (before.why_not.empty()) {
    sizes.blocks.before = before.blocks->blocks();
    sizes.accesses.before = before.blocks->accesses();
  } else {
    sizes.why_not = before.why_not;
  }
  return sizes;
}

}  // namespace heddle::cli
