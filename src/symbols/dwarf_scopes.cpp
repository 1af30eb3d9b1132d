#include "symbols/dwarf_scopes.h"

#include <algorithm>

namespace heddle::symbols {
namespace {

int bounded_int(std::optional<uint64_t> value) { return value.has_value() && *value <= INT32_MAX ? static_cast<int>(*value) : 0; }

}  // namespace

ScopeIndex::ScopeIndex(Dwarf_Die* unit, ModuleElf& module) : module_(module) {
  walk(unit, kNone, DwarfContexts::kNone, 0);
  flatten();
  intervals_ = {};
}

void ScopeIndex::walk(Dwarf_Die* die, uint32_t scope, uint32_t context, int depth) {
  if (depth > kDeepestDie) return;
  for_each_child(die, budget_, [&](Dwarf_Die& child) {
    int tag = dwarf_tag(&child);
    if (!is_scope_tag(tag)) return;
    uint32_t child_scope = scope;
    uint32_t child_context = context;
    bool is_inlined = tag == DW_TAG_inlined_subroutine;
    if (tag == DW_TAG_subprogram || is_inlined) {
      auto number = static_cast<uint32_t>(scopes_.size());
      std::optional<uint64_t> entry;
      for_each_range(&child, budget_, [&](uint64_t begin, uint64_t end) {
        if (!module_.is_code(begin)) return;
        intervals_.push_back({begin, end, number, depth});
        if (!entry.has_value()) entry = begin;
      });
      if (entry.has_value()) {
        scopes_.push_back({child, *entry, is_inlined ? scope : kNone, context, is_inlined, nullptr});
        child_scope = number;
      }
      if (!is_inlined) contexts_.remember(child, context);
    }
    if (tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
        tag == DW_TAG_structure_type || tag == DW_TAG_union_type) {
      if (dwarf_haschildren(&child) > 0) child_context = contexts_.add(context, child);
    }
    walk(&child, child_scope, child_context, depth + 1);
  });
}

// Nested intervals become consecutive segments, so that a look-up is one binary search.
void ScopeIndex::flatten() {
  std::sort(intervals_.begin(), intervals_.end(), [](const Interval& a, const Interval& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    if (a.depth != b.depth) return a.depth < b.depth;
    return a.scope < b.scope;
  });
  std::vector<const Interval*> open;  // innermost last
  auto start_segment = [&](uint64_t begin, uint32_t scope) {
    if (!segments_.empty() && segments_.back().begin == begin) {
      segments_.back().scope = scope;
    } else if (segments_.empty() || segments_.back().scope != scope) {
      segments_.push_back({begin, scope});
    }
  };
  auto close_until = [&](uint64_t address) {
    while (!open.empty() && open.back()->end <= address) {
      uint64_t end = open.back()->end;
      open.pop_back();
      // Badly nested input: whatever ended meanwhile is over as well.
      while (!open.empty() && open.back()->end <= end) open.pop_back();
      start_segment(end, open.empty() ? kNone : open.back()->scope);
    }
  };
  for (const Interval& interval : intervals_) {
    close_until(interval.begin);
    open.push_back(&interval);
    start_segment(interval.begin, interval.scope);
  }
  close_until(UINT64_MAX);
}

uint32_t ScopeIndex::innermost(uint64_t address) const {
  auto next = std::upper_bound(segments_.begin(), segments_.end(), address,
                               [](uint64_t value, const Segment& segment) { return value < segment.begin; });
  return next == segments_.begin() ? kNone : (--next)->scope;
}

std::vector<const ScopeFrame*> ScopeIndex::find(uint64_t address) {
  std::vector<const ScopeFrame*> frames;
  // A parent stands before its child in scopes_, so this ends.
  for (uint32_t at = innermost(address); at != kNone; at = scopes_[at].parent) {
    frames.push_back(describe(scopes_[at]));
  }
  return frames;
}

const ScopeFrame* ScopeIndex::describe(Scope& scope) {
  if (scope.frame != nullptr) return scope.frame.get();
  scope.frame = std::make_unique<ScopeFrame>();
  ScopeFrame& frame = *scope.frame;
  frame.inlined = scope.inlined;
  frame.function = linkage_name(&scope.die);
  // Compilers leave out the linkage names of lambdas and other local functions.
  if (frame.function.empty() && !frame.inlined) {
    frame.function = cxx_name(module_.function(scope.entry), scope.entry).value_or("");
  }
  if (frame.function.empty()) frame.function = contexts_.qualified_name(scope.die, scope.context);
  if (frame.inlined) {
    // Not the integrated attributes: an abstract instance has no call.
    auto own = [&](unsigned name) -> std::optional<uint64_t> {
      Dwarf_Attribute attribute;
      Dwarf_Word value = 0;
      if (dwarf_attr(&scope.die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return {};
      return value;
    };
    Dwarf_Attribute file;
    if (dwarf_attr(&scope.die, DW_AT_call_file, &file) != nullptr) frame.call_file = file_of_attribute(&file);
    frame.call_line = bounded_int(own(DW_AT_call_line));
    frame.call_column = bounded_int(own(DW_AT_call_column));
  }
  return scope.frame.get();
}

}  // namespace heddle::symbols
