#include "trace/locals.h"

#include <algorithm>
#include <map>
#include <optional>

#include "wire/event_stacks.h"

namespace heddle::trace {

namespace {

struct Use {
  size_t first, last;  // events; their number for a thread that waits at the end
};

class Frames {
 public:
  explicit Frames(const Trace& trace) : rows_(trace.threads().size()), events_(trace.events()) {
    for (const RaceRow& row : trace.data().races) {
      if (row.count != 0 && row.count <= events_.size() && row.first.thread < rows_.size()) rows_[row.first.thread].push_back(&row);
    }
    for (auto& rows : rows_) std::sort(rows.begin(), rows.end(), [](const RaceRow* a, const RaceRow* b) { return a->count < b->count; });
  }

  // The owner's frame that the object is in when it is used: by its calls at that event, or, where another thread uses it, at its last event before.
  // Before the first thread no calls are kept: then those of the first event after count, if it is not after the last use.
  std::optional<LocalPlace> around(uint32_t owner, uint64_t distance, size_t event, size_t last_use) const {
    const auto& rows = rows_[owner];
    auto after = std::upper_bound(rows.begin(), rows.end(), event + 1, [](size_t count, const RaceRow* row) { return count < row->count; });
    if (after == rows.begin() && (after == rows.end() || (*after)->count > last_use + 1)) return std::nullopt;
    const RaceRow& row = after == rows.begin() ? **after : **std::prev(after);
    for (uint32_t i = 0; i < std::min(row.first.stack_size, kRaceStack); ++i) {
      const uint64_t end = row.second.stack[i];
      if (end == kNoFrameEnd || end >= distance) continue;
      // The first of the frames that end above it.
      LocalPlace place;
      place.first = place.last = row.first.stack[i];
      place.frame_end = end;
      return place;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::vector<const RaceRow*>> rows_;  // by thread, in order
  std::span<const Event> events_;
};

}  // namespace

std::vector<LocalPlace> locals_in(const Trace& trace) {
  const auto events = trace.events();
  std::map<ObjectId, Use> uses;
  auto use = [&](ObjectId object, size_t event) {
    if (object == kNoObject || object_kind(object) != ObjectKind::kStack) return;
    const auto [at, fresh] = uses.try_emplace(object, Use{event, event});
    if (!fresh) at->second.last = event;
  };
  for (size_t i = 0; i < events.size(); ++i) use(events[i].object, i);
  for (const Thread& t : trace.threads()) use(t.object, events.size());
  std::map<ThreadId, uint32_t> threads;
  for (uint32_t i = 0; i < trace.threads().size(); ++i) threads.emplace(trace.threads()[i].id, i);
  const Frames frames(trace);
  std::vector<LocalPlace> places;
  for (const ObjectRow& row : trace.objects()) {
    const auto used = uses.find(row.id);
    const auto owner = threads.find(row.a);
    if (used == uses.end() || owner == threads.end()) continue;
    std::optional<LocalPlace> first = frames.around(owner->second, row.b, used->second.first, used->second.last);
    const std::optional<LocalPlace> last = frames.around(owner->second, row.b, used->second.last, used->second.last);
    // A place of the stack that several frames had in turn is not one variable.
    if (!first || !last || first->frame_end != last->frame_end) continue;
    first->object = row.id;
    first->last = last->last;
    places.push_back(*first);
  }
  return places;
}

}  // namespace heddle::trace
