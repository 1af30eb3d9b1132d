#pragma once
// Which statements of a run its failure depends on: LEAN's multithreaded dynamic slicing (section 3.2.1, Algorithm 3), over the statements that heddle-cc marked.
// The dependences of values, addresses and control come from the blocks that one replay executed (trace/origins.h), those of synchronisation from its events.
#include <vector>

#include "trace/origins.h"
#include "trace/trace.h"
#include "wire/iteration.h"

namespace heddle::trace {

inline constexpr uint32_t kNoStatement = UINT32_MAX;

// One execution of a statement.
struct StatementRun {
  uint32_t thread = 0;  // index in the trace
  LoopId statement = 0;
  uint64_t number = 0;             // among all executions of it by this thread
  uint64_t first_operation = 1;    // the thread's own operations in it...
  uint64_t last_operation = 0;     // ...none if this is smaller
  uint32_t around = kNoStatement;  // the execution of another statement, by its index, that it is part of
  bool ended = false;              // it came to its end: not left by an exception
  bool open = false;               // the run ended in it
  bool relevant = false;
  std::vector<LoopId> loops;  // marked loops of which an iteration was begun, or left out, in it
};

// What a run shows about its statements.
struct StatementRuns {
  std::vector<StatementRun> runs;  // in the order in which they began
  std::vector<uint32_t> marks;     // of each mark in the trace of blocks, in order: the run that it is about, or kNoStatement
};
StatementRuns statement_runs(const BlockTrace& blocks, const Trace& run);

// Which dependences are followed.
enum class StatementEdges : uint8_t {
  kValues,  // who wrote what was read, what decided, what an address came from; a lock that guards something of it, and whatever wakes or sends
  kOrders,  // the paper's graph: besides, accesses of other threads before a write (WAR, WAW), and all sections of a lock that one of them needs (REL -> ACQ)
};

// Says of each execution whether the failure depends on it. Whatever is executed for certain counts as needed where it decides what is executed next, or where an
// address comes from: branches are not left out.
void slice_statements(StatementRuns& statements, const BlockTrace& blocks, const Trace& run, OriginQuestion question, StatementEdges edges);

}  // namespace heddle::trace
