#include "report/arrows.h"

#include <algorithm>
#include <unordered_map>

#include "model/condition.h"
#include "trace/happens_before.h"
#include "trace/locks.h"
#include "trace/objects.h"

namespace heddle::report {

std::vector<Arrow> arrows(const Trace& trace, size_t most) {
  std::vector<Arrow> found;
  const auto events = trace.events();
  std::unordered_map<ObjectId, size_t> released, signalled, births, ends;
  auto add = [&](const std::unordered_map<ObjectId, size_t>& from, ObjectId object, size_t to, const char* kind) {
    const auto at = from.find(object);
    if (at != from.end() && events[at->second].thread != events[to].thread) found.push_back({at->second, to, kind});
  };
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const bool takes_permit =
        (e.op == Op::kSemWait || e.op == Op::kSemTryWait || e.op == Op::kSemTimedWait) && (e.flags & (kFailed | kTimedOut)) == 0;
    if (takes_lock(e) || takes_permit) add(released, e.object, i, "lock");
    if (model::is_reacquire(e.op) && (e.flags & (kTimedOut | kSpurious)) == 0) add(signalled, e.object, i, "wake");
    if (e.op == Op::kThreadStart) add(births, thread_object(trace.thread_id(e)), i, "create");
    if (e.op == Op::kThreadJoin) add(ends, e.object, i, "join");
    if (is_unlock(e.op) || e.op == Op::kSemPost) released[e.object] = i;
    if (e.op == Op::kCondSignal || e.op == Op::kCondBroadcast) signalled[e.object] = i;
    if (e.op == Op::kThreadCreate) births[e.object] = i;
    if (e.op == Op::kThreadExit) ends[thread_object(trace.thread_id(e))] = i;
  }
  for (const ReadsFrom& r : reads_from(trace)) {
    if (r.write != kNoWrite && events[r.write].thread != events[r.read].thread) found.push_back({r.write, r.read, "value"});
  }
  std::stable_sort(found.begin(), found.end(), [](const Arrow& a, const Arrow& b) { return a.to < b.to; });
  if (found.size() > most) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(most));
  return found;
}

}  // namespace heddle::report
