#include "exec/snapshots.h"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace heddle::exec {

namespace {

constexpr uint32_t kMostRefusals = 3;
constexpr double kForgetting = 1.1;  // by which the fastest run counts as slower with each that follows
// Snapshots must not push others out of memory: below this share of it available, none is made and the oldest goes.
constexpr uint64_t kLeastAvailable = 8;

bool memory_is_short() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  unsigned long total = 0, available = 0;
  while (std::getline(file, line) && available == 0) {
    std::sscanf(line.c_str(), "MemTotal: %lu", &total);
    std::sscanf(line.c_str(), "MemAvailable: %lu", &available);
  }
  return total != 0 && available < total / kLeastAvailable;
}

constexpr uint32_t bit(uint32_t row) { return uint32_t{1} << row; }

}  // namespace

Snapshots::Snapshots(SnapshotOptions options, Channel& channel, Streams& streams)
    : options_(options), channel_(channel), streams_(streams) {
  options_.most = std::min(options_.most, kMaxServers - 1);
}

size_t Snapshots::alive() const {
  return static_cast<size_t>(std::count_if(rows_.begin(), rows_.end(), [](const Snapshot& s) { return s.pid != 0; }));
}

uint64_t Snapshots::gain(uint64_t events) const { return static_cast<uint64_t>(static_cast<double>(events) * event_ns_); }

void Snapshots::give_up(uint32_t row) {
  for (uint32_t i = 1; i < kMaxServers; ++i) {
    if (rows_[i].pid == 0 || (rows_[i].path & bit(row)) == 0) continue;
    // The kernel ends those below it with it.
    if (i == row) ::kill(rows_[i].pid, SIGKILL);
    rows_[i] = Snapshot{};
    in_slot_ &= ~bit(i);
    vacate(channel_.servers().rows[i]);
  }
}

void Snapshots::give_up_all() {
  for (uint32_t i = 1; i < kMaxServers; ++i) {
    // Also one that a run has left and nobody has seen yet.
    ServerRow& row = channel_.servers().rows[i];
    if (row.pid > 1) ::kill(row.pid, SIGKILL);
    vacate(row);
    rows_[i] = Snapshot{};
  }
  in_slot_ = 0;
}

std::optional<uint32_t> Snapshots::free_row(uint32_t keep) {
  const bool is_short = memory_is_short();
  uint32_t oldest = 0;
  for (uint32_t i = 1; i <= options_.most; ++i) {
    if (rows_[i].pid == 0) {
      if (!is_short) return i;
    } else if ((keep & bit(i)) == 0 && (oldest == 0 || rows_[i].last_used < rows_[oldest].last_used)) {
      oldest = i;
    }
  }
  if (oldest == 0) return std::nullopt;
  give_up(oldest);
  if (is_short) return std::nullopt;
  return oldest;
}

// One at the point where the plan leaves what has been run before: the next plans are likely to leave it there or later.
void Snapshots::order(const Plan& plan, Start* start, uint64_t shared) {
  if (refused_ >= kMostRefusals || shared <= start->step) return;
  const uint64_t least = std::max(options_.least_gain_ns, 2 * channel_.servers().fork_ns);
  if (options_.least_gain_ns != 0 && gain(shared - start->step) < least) return;
  if (shared >= plan.limits.events) return;
  const auto row = free_row(start->row == 0 ? 0 : rows_[start->row].path);
  if (row) start->orders.push_back({shared, *row, 0});
}

Snapshots::Start Snapshots::begin(const Plan& plan) {
  Start start;
  start.step = channel_.servers().rows[0].step;
  if (options_.enabled && plan.detect == 0 && !plan.slices.empty()) {
    uint64_t shared = 0;
    bool exact = false;  // the cursor is known already
    std::vector<const Executed*> seen;
    const auto consider = [&](const std::shared_ptr<const Executed>& run) {
      if (!run || std::find(seen.begin(), seen.end(), run.get()) != seen.end()) return;
      seen.push_back(run.get());
      // The very end of a run is no place to begin another.
      const uint64_t most = run->trace().events().size() - std::min<size_t>(run->trace().events().size(), 1);
      const Executed::Agreement agreed = run->agreement(plan, most);
      shared = std::max(shared, agreed.events);
      for (uint32_t i = 1; i < kMaxServers; ++i) {
        if (rows_[i].pid == 0 || rows_[i].run != run || rows_[i].step > agreed.events || rows_[i].step <= start.step) continue;
        start.row = i;
        start.step = rows_[i].step;
        start.cursor = agreed.cursor;
        exact = start.step == agreed.events;
      }
    };
    for (const Snapshot& s : rows_) consider(s.run);
    consider(last_);
    if (start.row != 0 && !exact) start.cursor = rows_[start.row].run->agreement(plan, start.step).cursor;
    order(plan, &start, shared);
  }
  if (start.row == 0) {
    streams_.rewind();
    in_slot_ = 0;
    return start;
  }
  Snapshot& from = rows_[start.row];
  const bool there = (in_slot_ & bit(start.row)) != 0;
  if (!there) channel_.put_back(from.run->trace(), from.step);
  streams_.rewind_to(from.streams, there);
  in_slot_ = from.path;
  ++used_;
  ++clock_;
  for (uint32_t i = 1; i < kMaxServers; ++i) {
    if ((from.path & bit(i)) != 0) rows_[i].last_used = clock_;
  }
  return start;
}

void Snapshots::observe(const Start& start, const Plan& plan, const Trace& trace, const std::string& out, const std::string& err,
                        uint64_t ns) {
  last_.reset();
  if (!options_.enabled || plan.detect != 0) return;
  const uint64_t executed = trace.data().executed - std::min(trace.data().executed, start.step);
  const uint64_t fixed = channel_.servers().fork_ns;
  // Of the last runs the fastest counts: on a busy machine the others have waited for a processor.
  if (executed != 0) {
    const double each = static_cast<double>(ns - std::min(ns, fixed)) / static_cast<double>(executed);
    event_ns_ = event_ns_ > 0 ? std::min(each, event_ns_ * kForgetting) : each;
  }
  // Runs that are over before a fork would be are not worth looking at.
  const bool worth = options_.least_gain_ns == 0 || gain(trace.events().size()) >= options_.least_gain_ns;
  if (!worth && start.orders.empty()) return;
  const auto run = std::make_shared<const Executed>(plan, trace, channel_.servers().rows[0].step);
  last_ = run;
  uint32_t path = start.row == 0 ? 0 : rows_[start.row].path;
  for (const SnapshotOrder& order : start.orders) {
    ServerRow& row = channel_.servers().rows[order.row];
    const bool usable = row.state == RowState::kReady && row.step <= trace.events().size() &&
                        row.offsets[1] <= static_cast<int64_t>(out.size()) && row.offsets[2] <= static_cast<int64_t>(err.size());
    if (!usable) {
      refused_ += row.state == RowState::kRefused ? 1 : 0;
      if (row.pid > 1) ::kill(row.pid, SIGKILL);
      vacate(row);
      continue;
    }
    refused_ = 0;
    path |= bit(order.row);
    Snapshot& s = rows_[order.row];
    s.pid = row.pid;
    s.step = row.step;
    s.last_used = ++clock_;
    s.path = path;
    s.run = run;
    s.streams = {row.offsets[0], out.substr(0, static_cast<size_t>(row.offsets[1])), err.substr(0, static_cast<size_t>(row.offsets[2]))};
    in_slot_ |= bit(order.row);
  }
}

}  // namespace heddle::exec
