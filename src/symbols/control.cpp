#include "symbols/control.h"

#include <algorithm>
#include <iterator>

namespace heddle::symbols {

namespace {

using Kind = Instruction::Kind;

bool ends_block(Kind kind) { return kind == Kind::kBranch || kind == Kind::kJump || kind == Kind::kReturn || kind == Kind::kIndirectJump; }

}  // namespace

ControlDependence::ControlDependence(const DecodedFunction& function, const JumpTargets& jumps) {
  make_blocks(function, jumps);
  connect(function, jumps);
  const std::vector<size_t> dominators = post_dominators();
  for (size_t b = 0; b + 1 < blocks_.size(); ++b) {
    if (blocks_[b].next.size() < 2) continue;
    const uint64_t branch = function.instructions[blocks_[b].last].offset;
    for (size_t to : blocks_[b].next) {
      for (size_t at = to, tried = 0; at != dominators[b] && at + 1 < blocks_.size() && tried < blocks_.size();
           at = dominators[at], ++tried) {
        auto& known = blocks_[at].branches;
        if (std::find(known.begin(), known.end(), branch) == known.end()) known.push_back(branch);
      }
    }
  }
}

void ControlDependence::make_blocks(const DecodedFunction& function, const JumpTargets& jumps) {
  std::set<uint64_t> leaders = {function.begin};
  for (const Instruction& i : function.instructions) {
    if (!ends_block(i.kind)) continue;
    leaders.insert(i.end());
    if (i.kind == Kind::kBranch || i.kind == Kind::kJump) leaders.insert(i.target);
    if (const auto found = jumps.find(i.offset); found != jumps.end()) leaders.insert(found->second.begin(), found->second.end());
  }
  for (size_t i = 0; i < function.instructions.size(); ++i) {
    const uint64_t offset = function.instructions[i].offset;
    if (i == 0 || leaders.count(offset) != 0) {
      block_by_offset_[offset] = blocks_.size();
      blocks_.push_back({i, i, {}, {}, {}});
    }
    blocks_.back().last = i;
  }
  blocks_.push_back({});
}

void ControlDependence::connect(const DecodedFunction& function, const JumpTargets& jumps) {
  const size_t exit = blocks_.size() - 1;
  const auto block_at = [&](uint64_t offset) {
    const auto found = block_by_offset_.find(offset);
    return found != block_by_offset_.end() ? found->second : exit;
  };
  for (size_t b = 0; b < exit; ++b) {
    const Instruction& last = function.instructions[blocks_[b].last];
    std::set<size_t> next;
    if (last.kind == Kind::kBranch || last.kind == Kind::kJump) next.insert(block_at(last.target));
    if (last.kind == Kind::kIndirectJump) {
      if (const auto found = jumps.find(last.offset); found != jumps.end()) {
        for (uint64_t target : found->second) next.insert(block_at(target));
      }
      if (next.size() < 2) next.insert(exit);
    } else if (last.kind == Kind::kReturn) {
      next.insert(exit);
    } else if (last.kind != Kind::kJump) {
      next.insert(block_at(last.end()));
    }
    blocks_[b].next.assign(next.begin(), next.end());
  }
  for (size_t b = 0; b < exit; ++b) {
    for (size_t to : blocks_[b].next) blocks_[to].before.push_back(b);
  }
  // A loop without an end has to leave somewhere, for post-dominators to be there.
  for (;;) {
    std::vector<bool> seen(blocks_.size());
    for (size_t b : order_from_exit()) seen[b] = true;
    size_t lost = exit;
    for (size_t b = 0; b < exit; ++b) {
      if (!seen[b]) lost = b;
    }
    if (lost == exit) return;
    blocks_[lost].next.push_back(exit);
    blocks_[exit].before.push_back(lost);
  }
}

// Backwards along the edges, in postorder.
std::vector<size_t> ControlDependence::order_from_exit() const {
  std::vector<size_t> order;
  std::vector<bool> seen(blocks_.size());
  std::vector<std::pair<size_t, size_t>> stack = {{blocks_.size() - 1, 0}};
  seen[blocks_.size() - 1] = true;
  while (!stack.empty()) {
    auto& [block, child] = stack.back();
    if (child < blocks_[block].before.size()) {
      const size_t next = blocks_[block].before[child++];
      if (!seen[next]) {
        seen[next] = true;
        stack.push_back({next, 0});
      }
    } else {
      order.push_back(block);
      stack.pop_back();
    }
  }
  return order;
}

std::vector<size_t> ControlDependence::post_dominators() const {
  const size_t exit = blocks_.size() - 1, none = blocks_.size();
  const std::vector<size_t> order = order_from_exit();
  std::vector<size_t> number(blocks_.size()), dominator(blocks_.size(), none);
  for (size_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  dominator[exit] = exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i > 0; --i) {
      const size_t block = order[i - 1];
      size_t best = none;
      for (size_t to : blocks_[block].next) {
        if (dominator[to] == none) continue;
        size_t a = to, b = best == none ? to : best;
        while (a != b) {
          while (number[a] < number[b]) a = dominator[a];
          while (number[b] < number[a]) b = dominator[b];
        }
        best = a;
      }
      if (best != none && dominator[block] != best) {
        dominator[block] = best;
        changed = true;
      }
    }
  }
  for (size_t& d : dominator) d = d == none ? exit : d;
  return dominator;
}

const std::vector<uint64_t>& ControlDependence::branches(uint64_t offset) const {
  static const std::vector<uint64_t> nothing;
  auto found = block_by_offset_.upper_bound(offset);
  return found == block_by_offset_.begin() ? nothing : blocks_[std::prev(found)->second].branches;
}

}  // namespace heddle::symbols
