#pragma once
// A schedule as lines of a table: one thread a column, time runs down, repetition folded, the reason at each switch.
#include <string>
#include <vector>

#include "report/names.h"

namespace heddle::report {

enum class RowKind { kEvent, kFold, kPreemption, kSwitch };

struct ScheduleRow {
  RowKind kind = RowKind::kEvent;
  size_t step = kNoDifference;  // index of the event, of the first where several are folded
  uint32_t thread = 0;
  std::string text;
  std::string place;  // "bank.cpp:12"; empty for the system's code
};

struct RowOptions {
  bool all = false;          // nothing left out
  std::vector<size_t> keep;  // events that are shown in any case, with their neighbours
};

// Events [begin, end) of the trace.
std::vector<ScheduleRow> schedule_rows(Names& names, size_t begin, size_t end, const RowOptions& options);

// Characters as the terminal counts them, for UTF-8 text.
size_t shown_width(const std::string& text);
// At most `width` of them, padded to it if `pad`.
std::string fitted(const std::string& text, size_t width, bool pad);

// The rows as text `width` characters wide, without the line ends. Threads are columns where they fit.
class Table {
 public:
  Table(Names& names, const std::vector<ScheduleRow>& rows, size_t width);
  std::string header() const;
  std::string line(const ScheduleRow& row) const;
  size_t width() const { return width_; }

 private:
  Names& names_;
  size_t width_;
  size_t column_width_ = 0;
  bool listed_ = false;
  std::vector<uint32_t> shown_;  // threads in order of columns
  std::vector<size_t> column_;   // of each thread
};

}  // namespace heddle::report
