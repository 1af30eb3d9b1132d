#include "trace/imposed.h"

#include <algorithm>

namespace heddle::trace {

namespace {

bool among(const std::vector<Spot>& spots, Op op, SiteId site) {
  return std::find(spots.begin(), spots.end(), Spot{op, site}) != spots.end();
}

// What a lock would keep out: taking the object, or accessing it. Giving it back, it would not.
bool takes(Op op) { return has(op, kAcquires) || is_memory(op); }

}  // namespace

bool ImposedState::allows(uint32_t thread, Op op, SiteId site, ObjectId object) const {
  switch (imposed_.kind) {
    case ImposedKind::kOrder: return awaited_ || !(Spot{op, site} == imposed_.waits);
    case ImposedKind::kSection: break;
  }
  if (owner_ == kNoIndex || owner_ == thread) return true;
  const bool before = imposed_.before != kNoObject;
  if (imposed_.gate) return !among(imposed_.enter, op, site);
  if ((before && among(imposed_.enter, op, site)) || among(imposed_.out, op, site)) return false;
  return object != (before ? imposed_.before : object_) || object == kNoObject || !takes(op);
}

void ImposedState::step(const Event& e) {
  if (imposed_.kind == ImposedKind::kOrder) {
    awaited_ = awaited_ || Spot{e.op, e.site} == imposed_.awaited;
    return;
  }
  if (owner_ == e.thread && (among(imposed_.leave, e.op, e.site) || e.op == Op::kThreadExit)) {
    owner_ = kNoIndex;
  } else if (owner_ == kNoIndex && among(imposed_.enter, e.op, e.site) && (e.flags & kFailed) == 0) {
    owner_ = e.thread;
    object_ = e.object;
  }
}

bool obeys(const Trace& trace, const Imposed& imposed) {
  ImposedState state(imposed);
  for (const Event& e : trace.events()) {
    if (!state.allows(e.thread, e.op, e.site, e.object)) return false;
    state.step(e);
  }
  return true;
}

}  // namespace heddle::trace
