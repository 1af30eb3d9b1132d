#include "report/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/locks.h"

namespace heddle::report {

namespace {

constexpr size_t kEdge = 3;        // events shown at each end of a long slice
constexpr size_t kNarrowest = 24;  // of a thread's column
constexpr size_t kWideEnough = 34;
constexpr size_t kStepWidth = 6;

bool same_operation(const Event& a, const Event& b) {
  return a.thread == b.thread && a.op == b.op && a.object == b.object && a.site == b.site;
}

class Rows {
 public:
  Rows(Names& names, const RowOptions& options)
      : names_(names), trace_(names.trace()), options_(options), locks_(trace_.threads().size()) {}

  std::vector<ScheduleRow> make(size_t begin, size_t end) {
    for (size_t i = 0; i < begin; ++i) locks_.step(i, trace_.events()[i]);
    for (const TraceSlice& slice : trace_.slices()) {
      const size_t from = std::max(slice.begin, begin);
      const size_t to = std::min(slice.end, end);
      if (from >= to) continue;
      events(slice, from, to);
      for (size_t i = from; i < to; ++i) locks_.step(i, trace_.events()[i]);
      if (to == slice.end && to < end) switched(slice);
    }
    return std::move(rows_);
  }

 private:
  bool kept(size_t i) const {
    return std::any_of(options_.keep.begin(), options_.keep.end(),
                       [&](size_t k) { return k != kNoDifference && i + 1 >= k && i <= k + 1; });
  }

  // How many events from `i` on repeat one operation, or a loop of two or three.
  size_t repetition(size_t i, size_t to, size_t& period) const {
    const auto events = trace_.events();
    for (period = 1; period <= 3; ++period) {
      size_t length = period;
      while (i + length < to && same_operation(events[i + length], events[i + length - period]) && !kept(i + length)) ++length;
      if (length >= 3 * period && length > 3) return length / period * period;
    }
    return 0;
  }

  void events(const TraceSlice& slice, size_t from, size_t to) {
    const size_t length = to - from;
    for (size_t i = from; i < to;) {
      size_t period = 1;
      if (!options_.all) {
        if (const size_t repeated = repetition(i, to, period); repeated > 0) {
          for (size_t k = 0; k < period; ++k) event(i + k);
          const bool spins = (trace_.events()[i + repeated - 1].flags & kSpin) != 0;
          rows_.push_back({RowKind::kFold, kNoDifference, slice.thread,
                           fmt::format(".. {} {} times", spins ? "spins, the same" : "the same", repeated / period), ""});
          i += repeated;
          continue;
        }
        size_t skip = 0;
        if (length > 2 * kEdge + 2 && i >= from + kEdge && i + kEdge < to) {
          while (i + skip + kEdge < to && !kept(i + skip)) ++skip;
        }
        if (skip > 1) {
          rows_.push_back({RowKind::kFold, kNoDifference, slice.thread, fmt::format(".. {} more operations", skip), ""});
          i += skip;
          continue;
        }
      }
      event(i++);
    }
  }

  void event(size_t i) {
    const Event& e = trace_.events()[i];
    std::string place = names_.row_place(e.site);
    // Where a thread ends in a library's code, the line says nothing.
    if (e.op == Op::kThreadExit && names_.calls(std::vector<SiteId>{e.site}).empty()) place.clear();
    // In a narrow column the value matters more than how it was accessed.
    std::string text = names_.operation(e);
    if (const size_t at = text.find(" (atomic)"); at != std::string::npos) text.erase(at, 9);
    rows_.push_back({RowKind::kEvent, i, e.thread, std::move(text), std::move(place)});
  }

  std::string held(uint32_t thread) {
    std::string text;
    for (const HeldLock& lock : locks_.held(thread)) {
      const std::string name = names_.object(lock.object, trace_.events()[lock.event].op);
      if (text.find(name) == std::string::npos) text += (text.empty() ? "" : ", ") + name;
    }
    return text;
  }

  void switched(const TraceSlice& slice) {
    const Event& last = trace_.events()[slice.end - 1];
    if (slice.preempted) {
      const std::string locks = held(slice.thread);
      rows_.push_back({RowKind::kPreemption, kNoDifference, slice.thread,
                       locks.empty() ? "== preempted ==>" : fmt::format("== preempted, holds {} ==>", locks), ""});
      return;
    }
    if (last.op == Op::kThreadExit) return;
    std::string reason;
    if (has(last.op, kYields)) {
      reason = "gives way";
    } else if ((last.flags & kSpin) != 0) {
      reason = "spins";
    } else {
      const auto [op, object] = pending(slice);
      reason = op == Op::kNone ? "gives way" : waits_for(op, object);
    }
    rows_.push_back({RowKind::kSwitch, kNoDifference, slice.thread, fmt::format("-- {} -->", reason), ""});
  }

  std::string waits_for(Op op, ObjectId object) {
    const std::string what = names_.object(object, op);
    if (op == Op::kThreadJoin) return "waits for the end of " + what;
    if (op == Op::kSleep) return "sleeps";
    return what.empty() ? std::string("waits") : "waits for " + what;
  }

  // The thread's next operation after this slice.
  std::pair<Op, ObjectId> pending(const TraceSlice& slice) const {
    const auto events = trace_.events();
    for (size_t i = slice.end; i < events.size(); ++i) {
      if (events[i].thread == slice.thread) return {events[i].op, events[i].object};
    }
    const Thread& t = trace_.threads()[slice.thread];
    return {t.pending, t.object};
  }

  Names& names_;
  const Trace& trace_;
  const RowOptions& options_;
  HeldLocks locks_;
  std::vector<ScheduleRow> rows_;
};

}  // namespace

std::vector<ScheduleRow> schedule_rows(Names& names, size_t begin, size_t end, const RowOptions& options) {
  return Rows(names, options).make(begin, std::min(end, names.trace().events().size()));
}

size_t shown_width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string fitted(const std::string& text, size_t width, bool pad) {
  const size_t has = shown_width(text);
  if (has <= width) return pad ? text + std::string(width - has, ' ') : text;
  const size_t keep = width < 4 ? width : width - 2;
  std::string out;
  size_t count = 0;
  for (char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && count++ == keep) break;
    out += c;
  }
  return width < 4 ? out : out + "..";
}

Table::Table(Names& names, const std::vector<ScheduleRow>& rows, size_t width) : names_(names), width_(width) {
  const size_t threads = names.trace().threads().size();
  std::vector<bool> seen(threads);
  for (const ScheduleRow& row : rows) seen[row.thread] = true;
  column_.assign(threads, 0);
  for (uint32_t t = 0; t < threads; ++t) {
    if (!seen[t]) continue;
    column_[t] = shown_.size();
    shown_.push_back(t);
  }
  const size_t room = width - std::min(width, kStepWidth);
  // A column need not be wider than what stands in it. Where it would be narrower than that, and the rows would lose their ends, they are
  // listed with the thread's name instead.
  size_t needed = 8;
  for (const ScheduleRow& row : rows) needed = std::max(needed, shown_width(row.text) + (row.place.empty() ? 0 : row.place.size() + 2));
  listed_ = shown_.empty() || room / shown_.size() < std::min(std::max(needed, kNarrowest), kWideEnough);
  column_width_ = listed_ ? room : std::min(room / shown_.size(), needed + 2);
}

std::string Table::header() const {
  std::string text(kStepWidth, ' ');
  if (listed_) return fitted(text, width_, true);
  for (uint32_t t : shown_) text += fitted(names_.thread(t), column_width_, true);
  return fitted(text, width_, true);
}

std::string Table::line(const ScheduleRow& row) const {
  std::string text = row.step == kNoDifference ? std::string(kStepWidth, ' ') : fmt::format("{:>4}  ", row.step + 1);
  const size_t indent = listed_ ? 0 : column_[row.thread] * column_width_;
  text += std::string(indent, ' ');
  if (listed_) text += fmt::format("{:<7}", names_.thread(row.thread));
  size_t room = width_ - std::min(width_, shown_width(text));
  // The place stays whole, whatever is left beside it.
  if (!row.place.empty() && row.place.size() + 6 < room) {
    room -= row.place.size() + 2;
    const std::string what = fitted(row.text, room, false);
    text += what + "  " + row.place;
  } else {
    text += fitted(row.text, room, false);
  }
  return fitted(text, width_, true);
}

}  // namespace heddle::report
