#include "runtime/memory/context_tree.h"

#include "runtime/base/memory_map.h"
#include "runtime/engine/names.h"
#include "runtime/engine/thread.h"

namespace heddle::rt {

namespace {

struct Node {
  ContextId parent;
  uint32_t pc;           // low half of the return address of the call
  uint32_t locks;        // number of the lock set
  ContextId last_child;  // the likely answer
};
constexpr uint32_t kNodes = 1 << 20;
constexpr uint32_t kNodeTable = 1 << 21;
Node* g_nodes;
uint32_t* g_node_table;
uint32_t g_node_count;

struct LockSet {
  uint32_t count;
  ObjectId locks[kRaceLocks];  // sorted
};
constexpr uint32_t kLockSets = 1 << 12;
LockSet* g_sets;
uint32_t g_set_count;

// Calls of each thread. A frame that is not below its caller's on the stack means that callers were left without their exit hooks
// (longjmp): they are dropped.
struct Frame {
  ContextId caller;
  uintptr_t stack_pointer;
};
constexpr uint32_t kFrames = 512;
struct Calls {
  uint32_t depth;  // may exceed kFrames; those are not kept
  uint32_t locks;
  Frame frames[kFrames];
};
Calls* g_calls[kMaxThreads];

bool start() {
  if (g_nodes != nullptr) return true;
  g_node_table = static_cast<uint32_t*>(map_zeroed(sizeof(uint32_t) * kNodeTable));
  g_sets = static_cast<LockSet*>(map_zeroed(sizeof(LockSet) * kLockSets));
  auto* nodes = static_cast<Node*>(map_zeroed(sizeof(Node) * kNodes));
  if (nodes == nullptr || g_sets == nullptr || g_node_table == nullptr) return false;
  g_nodes = nodes;
  g_node_count = 1;
  g_set_count = 1;
  return true;
}

Calls* my_calls() {
  Calls*& calls = g_calls[g_current->index];
  if (calls == nullptr) calls = static_cast<Calls*>(map_zeroed(sizeof(Calls)));
  return calls;
}

ContextId node(ContextId parent, uint32_t pc, uint32_t locks) {
  if (parent == 0 && pc == 0 && locks == 0) return 0;
  const Node& likely = g_nodes[g_nodes[parent].last_child];
  if (likely.parent == parent && likely.pc == pc && likely.locks == locks && g_nodes[parent].last_child != 0)
    return g_nodes[parent].last_child;
  auto at = static_cast<uint32_t>(mix(mix(parent, pc), locks)) % kNodeTable;
  for (; g_node_table[at] != 0; at = (at + 1) % kNodeTable) {
    const Node& n = g_nodes[g_node_table[at]];
    if (n.parent != parent || n.pc != pc || n.locks != locks) continue;
    g_nodes[parent].last_child = g_node_table[at];
    return g_node_table[at];
  }
  if (g_node_count == kNodes) return parent;
  g_nodes[g_node_count] = {parent, pc, locks, 0};
  g_node_table[at] = g_node_count;
  g_nodes[parent].last_child = g_node_count;
  return g_node_count++;
}

ContextId relocked(ContextId context, uint32_t locks) {
  const Node& n = g_nodes[context];
  return n.locks == locks ? context : node(n.parent, n.pc, locks);
}

}  // namespace

ContextId enter_call(ContextId context, uint32_t pc_low, uintptr_t stack_pointer) {
  if (!start()) return 0;
  Calls* calls = my_calls();
  if (calls == nullptr) return 0;
  while (calls->depth > 0 && calls->depth <= kFrames && calls->frames[calls->depth - 1].stack_pointer <= stack_pointer) {
    context = relocked(calls->frames[--calls->depth].caller, calls->locks);
  }
  if (calls->depth++ >= kFrames) return context;
  calls->frames[calls->depth - 1] = {context, stack_pointer};
  return node(context, pc_low, calls->locks);
}

ContextId leave_call(ContextId context) {
  if (!start()) return 0;
  Calls* calls = my_calls();
  if (calls == nullptr || calls->depth == 0) return context;
  if (--calls->depth >= kFrames) return context;
  return relocked(calls->frames[calls->depth].caller, calls->locks);
}

ContextId with_locks(ContextId context, const ObjectId* locks, uint32_t count) {
  if (!start()) return 0;
  LockSet set{};
  for (uint32_t i = 0; i < count && set.count < kRaceLocks; ++i) {
    uint32_t at = set.count++;
    for (; at > 0 && set.locks[at - 1] > locks[i]; --at) set.locks[at] = set.locks[at - 1];
    set.locks[at] = locks[i];
  }
  uint32_t found = 0;
  for (; found < g_set_count; ++found) {
    const LockSet& s = g_sets[found];
    bool same = s.count == set.count;
    for (uint32_t i = 0; same && i < set.count; ++i) same = s.locks[i] == set.locks[i];
    if (same) break;
  }
  if (found == g_set_count) {
    if (g_set_count == kLockSets) return context;
    g_sets[g_set_count++] = set;
  }
  if (Calls* calls = my_calls()) calls->locks = found;
  return relocked(context, found);
}

uint32_t call_of(ContextId context) { return g_nodes == nullptr ? 0 : g_nodes[context].pc; }

bool share_lock(ContextId a, ContextId b) {
  if (g_nodes == nullptr) return false;
  const LockSet& x = g_sets[g_nodes[a].locks];
  const LockSet& y = g_sets[g_nodes[b].locks];
  for (uint32_t i = 0, j = 0; i < x.count && j < y.count;) {
    if (x.locks[i] == y.locks[j]) return true;
    if (x.locks[i] < y.locks[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return false;
}

bool holds_lock(ContextId context, ObjectId lock) {
  if (g_nodes == nullptr) return false;
  const LockSet& set = g_sets[g_nodes[context].locks];
  for (uint32_t i = 0; i < set.count; ++i) {
    if (set.locks[i] == lock) return true;
  }
  return false;
}

void describe(ContextId context, RaceSide* side) {
  side->stack_size = 0;
  side->lock_count = 0;
  if (g_nodes == nullptr) return;
  const LockSet& set = g_sets[g_nodes[context].locks];
  for (; side->lock_count < set.count; ++side->lock_count) side->locks[side->lock_count] = set.locks[side->lock_count];
  for (ContextId at = context; at != 0 && side->stack_size < kRaceStack; at = g_nodes[at].parent) {
    if (g_nodes[at].pc != 0) side->stack[side->stack_size++] = site_of_low(g_nodes[at].pc - 1);
  }
}

}  // namespace heddle::rt
