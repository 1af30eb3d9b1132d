#include "trace/statements.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/statement_marks.h"

namespace heddle::trace {

namespace {

struct Told {
  uint32_t thread;
  StatementMark mark;
};

// The first one first.
std::vector<Told> marks_of(const BlockTrace& blocks, uint64_t address) {
  std::vector<Told> all;
  StatementMarks marks(address);
  blocks.backwards([&](const BlockRun& run) {
    if (run.code == nullptr || !run.inside) return true;
    for (size_t i = run.code->steps.size(); i > 0; --i) {
      if (const auto mark = marks.look(run, run.code->steps[i - 1])) all.push_back({run.thread, *mark});
    }
    return true;
  });
  std::reverse(all.begin(), all.end());
  return all;
}

// Walks backwards with the origins: which executions is each thread in, and is it certain that they are executed?
class Watch : public OriginWatch {
 public:
  Watch(const StatementRuns& statements, size_t threads, bool orders)
      : runs_(statements.runs),
        marks_(statements.marks),
        left_(statements.marks.size()),
        orders_(orders),
        open_(threads),
        needed_(statements.runs.size()),
        steps_(threads) {
    for (uint32_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].open && runs_[i].thread < threads) open_[runs_[i].thread].push_back(i);
    }
  }

  void marked(uint32_t thread, const StatementMark& mark) override {
    if (left_ == 0) return;
    const uint32_t run = marks_[--left_];
    if (thread >= open_.size() || run == kNoStatement) return;
    std::vector<uint32_t>& open = open_[thread];
    if (mark.state % 4 == kStatementEnds) {
      open.push_back(run);
    } else {
      open.erase(std::find(open.begin(), open.end(), run), open.end());
    }
  }
  bool is_certain(uint32_t thread) const override {
    return thread < open_.size() && std::all_of(open_[thread].begin(), open_[thread].end(), [&](uint32_t i) { return runs_[i].relevant; });
  }
  void needed(uint32_t thread, uint64_t step) override {
    if (thread >= open_.size()) return;
    for (uint32_t i : open_[thread]) needed_[i] = true;
    if (steps_[thread].empty() || steps_[thread].back() != step) steps_[thread].push_back(step);
  }
  bool orders() const override { return orders_; }

  const std::vector<bool>& result() const { return needed_; }
  // After how many events a thread did something that is needed, the last one first.
  const std::vector<std::vector<uint64_t>>& steps() const { return steps_; }

 private:
  const std::vector<StatementRun>& runs_;
  const std::vector<uint32_t>& marks_;
  size_t left_;  // marks that are still to come
  bool orders_;
  std::vector<std::vector<uint32_t>> open_;  // by thread, the outermost first
  std::vector<bool> needed_;
  std::vector<std::vector<uint64_t>> steps_;
};

// The dependences of synchronisation, between events.
class Synchronisation {
 public:
  Synchronisation(std::vector<StatementRun>& runs, const Trace& run, bool orders) : runs_(runs), run_(run), orders_(orders) {
    place_events();
    find_sections();
    for (const Event& e : run.events()) {
      if (row(e.op).family == Family::kDescriptors && e.op != Op::kWrite) read_.push_back(e.object);
    }
  }

  // Keeps what is needed by what is kept; true: that was something new.
  bool keep(const std::vector<std::vector<uint64_t>>& steps) {
    changed_ = false;
    for (size_t i = 0; i < run_.events().size(); ++i) {
      if (ties(run_.events()[i])) keep_event(i);
    }
    for (bool again = true; again;) {
      again = false;
      for (const Section& s : sections_) {
        if (!is_needed(s, steps)) continue;
        const bool locks = keep_event(s.lock), unlocks = keep_event(s.unlock);
        again = again || locks || unlocks;
      }
    }
    return changed_;
  }

 private:
  struct Section {
    size_t lock, unlock;  // events; no unlock: the number of events
    ObjectId object;
    uint32_t thread;
  };

  void place_events() {
    std::vector<std::vector<uint32_t>> by_thread(run_.threads().size());
    for (uint32_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].first_operation <= runs_[i].last_operation) by_thread[runs_[i].thread].push_back(i);
    }
    std::vector<size_t> next(by_thread.size());
    std::vector<std::vector<uint32_t>> open(by_thread.size());
    for (const Event& e : run_.events()) {
      auto& inside = open[e.thread];
      const auto& all = by_thread[e.thread];
      for (size_t& n = next[e.thread]; n < all.size() && runs_[all[n]].first_operation <= e.number; ++n) inside.push_back(all[n]);
      std::erase_if(inside, [&](uint32_t i) { return runs_[i].last_operation < e.number; });
      in_.push_back(inside.empty() ? kNoStatement : inside.back());
    }
  }

  static bool is_lock(Op op) {
    const Family family = row(op).family;
    return (family == Family::kMutexes || family == Family::kRwlocks) && (row(op).traits & kAcquires) != 0;
  }
  static bool is_unlock(Op op) {
    const Family family = row(op).family;
    return (family == Family::kMutexes || family == Family::kRwlocks) && (row(op).traits & kReleases) != 0;
  }

  void find_sections() {
    std::map<std::pair<uint32_t, ObjectId>, std::vector<size_t>> open;
    const auto events = run_.events();
    for (size_t i = 0; i < events.size(); ++i) {
      const Event& e = events[i];
      auto& held = open[{e.thread, e.object}];
      if (is_lock(e.op)) {
        held.push_back(sections_.size());
        sections_.push_back({i, events.size(), e.object, e.thread});
      } else if (is_unlock(e.op) && !held.empty()) {
        sections_[held.back()].unlock = i;
        held.pop_back();
      }
    }
  }

  // Threads, waits and messages tie threads together by more than values.
  bool ties(const Event& e) const {
    switch (row(e.op).family) {
      case Family::kMutexes:
      case Family::kRwlocks:
      case Family::kMemory:
      case Family::kAtomics:
      case Family::kCode:
      case Family::kTime: return false;
      case Family::kDescriptors: return e.op != Op::kWrite || std::find(read_.begin(), read_.end(), e.object) != read_.end();
      case Family::kThreads:
      case Family::kConditions:
      case Family::kSemaphores:
      case Family::kBarriers:
      case Family::kOnces:
      case Family::kFutexes:
      case Family::kSignals:
      case Family::kProcesses: return true;
    }
    return true;
  }

  bool is_gone(size_t event) const {
    for (uint32_t i = in_[event]; i != kNoStatement; i = runs_[i].around) {
      if (!runs_[i].relevant) return true;
    }
    return false;
  }

  bool keep_event(size_t event) {
    bool kept = false;
    if (event >= in_.size()) return kept;
    for (uint32_t i = in_[event]; i != kNoStatement; i = runs_[i].around) {
      kept |= !runs_[i].relevant;
      runs_[i].relevant = true;
    }
    if (orders_ && !is_gone(event) && (is_lock(run_.events()[event].op) || is_unlock(run_.events()[event].op)))
      kept |= ordered_.insert(run_.events()[event].object).second;
    changed_ |= kept;
    return kept;
  }

  // Something that is needed happens under the lock; or one end of it stays, so that the other has to.
  bool is_needed(const Section& s, const std::vector<std::vector<uint64_t>>& steps) const {
    if (s.unlock >= in_.size() || !is_gone(s.lock) || !is_gone(s.unlock)) return true;
    if (orders_ && ordered_.contains(s.object)) return true;
    for (size_t i = s.lock + 1; i < s.unlock; ++i) {
      if (run_.events()[i].thread == s.thread && !is_gone(i)) return true;
    }
    const std::vector<uint64_t>& at = steps[s.thread];  // falling
    const auto first = std::lower_bound(at.begin(), at.end(), s.unlock, std::greater<>());
    return first != at.end() && *first > s.lock;
  }

  std::vector<StatementRun>& runs_;
  const Trace& run_;
  bool orders_;
  std::vector<uint32_t> in_;  // by event: the innermost execution that it is part of
  std::vector<Section> sections_;
  std::vector<ObjectId> read_;
  std::set<ObjectId> ordered_;  // locks of which all sections are kept
  bool changed_ = false;
};

}  // namespace

StatementRuns statement_runs(const BlockTrace& blocks, const Trace& run) {
  StatementRuns statements;
  std::vector<StatementRun>& runs = statements.runs;
  std::vector<std::vector<uint32_t>> open(run.threads().size());
  for (const Told& one_mark : marks_of(blocks, run.data().statement_mark)) {
    const uint32_t thread = one_mark.thread;
    const StatementMark& mark = one_mark.mark;
    statements.marks.push_back(kNoStatement);
    if (thread >= open.size() || mark.statement % 2 == 0) continue;  // names are odd
    auto& inside = open[thread];
    const uint64_t operations = mark.state / 4;
    switch (static_cast<StatementState>(mark.state % 4)) {
      case kStatementBegins: {
        StatementRun one;
        one.thread = thread;
        one.statement = mark.statement;
        one.number = mark.number;
        one.first_operation = operations + 1;
        one.last_operation = UINT64_MAX;
        one.around = inside.empty() ? kNoStatement : inside.back();
        statements.marks.back() = static_cast<uint32_t>(runs.size());
        inside.push_back(statements.marks.back());
        runs.push_back(std::move(one));
        break;
      }
      case kStatementEnds: {
        const auto same = [&](uint32_t i) { return runs[i].statement == mark.statement; };
        const auto at = std::find_if(inside.rbegin(), inside.rend(), same);
        if (at == inside.rend()) break;
        statements.marks.back() = *at;
        runs[*at].ended = true;
        runs[*at].last_operation = operations;
        // What is still open in it was left by an exception.
        for (auto inner = inside.rbegin(); inner != at; ++inner) runs[*inner].last_operation = operations;
        inside.erase(std::prev(at.base()), inside.end());
        break;
      }
      case kStatementIteration:
        for (uint32_t i : inside) runs[i].loops.push_back(mark.statement);
        break;
      case kStatementLeftOut: break;
    }
  }
  for (const auto& inside : open) {
    for (uint32_t i : inside) runs[i].open = true;
  }
  return statements;
}

void slice_statements(StatementRuns& statements, const BlockTrace& blocks, const Trace& run, OriginQuestion question,
                      StatementEdges edges) {
  constexpr int kMostPasses = 12;
  const bool orders = edges == StatementEdges::kOrders;
  std::vector<StatementRun>& runs = statements.runs;
  for (StatementRun& r : runs) r.relevant = !r.ended && !r.open;
  Synchronisation synchronisation(runs, run, orders);
  bool changed = true;
  for (int pass = 0; changed && pass < kMostPasses; ++pass) {
    Watch watch(statements, run.threads().size(), orders);
    question.watch = &watch;
    question.mark = run.data().statement_mark;
    find_origins(blocks, question);
    changed = false;
    for (size_t i = 0; i < runs.size(); ++i) {
      changed |= watch.result()[i] && !runs[i].relevant;
      runs[i].relevant = runs[i].relevant || watch.result()[i];
    }
    changed |= synchronisation.keep(watch.steps());
  }
  // Cut short: then nothing is known to be of no use.
  if (changed) {
    for (StatementRun& r : runs) r.relevant = true;
  }
}

}  // namespace heddle::trace
