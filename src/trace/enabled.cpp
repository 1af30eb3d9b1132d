#include "trace/enabled.h"

#include <algorithm>

namespace heddle {

EnabledWalk::EnabledWalk(const Trace& trace)
    : trace_(trace), threads_(trace.threads().size()), created_(trace.threads().size()), locks_(trace.threads().size()) {
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    const Thread& t = trace_.threads()[i];
    if (i > 0) births_[{t.parent, t.birth}] = i;
    by_object_[thread_object(t.id)] = i;
  }
  std::vector<uint32_t> births(threads_.size());
  for (size_t i = 0; i < trace_.events().size(); ++i) {
    const Event& e = trace_.events()[i];
    threads_[e.thread].events.push_back(i);
    if (e.op == Op::kThreadCreate && (e.flags & kFailed) == 0) ++births[e.thread];
  }
  // A thread that nobody created was there from the beginning.
  for (uint32_t i = 0; i < threads_.size(); ++i)
    threads_[i].live = i == 0 || trace_.threads()[i].birth > births[trace_.threads()[i].parent];
  learn_semaphores();
}

// The least first value that the run's waits allow. It is exact where the run met the semaphore at zero.
void EnabledWalk::learn_semaphores() {
  std::map<ObjectId, int64_t> count;
  for (const Event& e : trace_.events()) {
    if (row(e.op).family != Family::kSemaphores) continue;
    SemaphoreView& view = semaphores_[e.object];
    int64_t& now = count[e.object];
    if ((e.flags & (kFailed | kTimedOut)) != 0) {
      view.exact = true;
      view.count = std::max(view.count, -now);
    } else if (has(e.op, kReleases)) {
      ++now;
    } else if (has(e.op, kAcquires)) {
      --now;
      view.count = std::max(view.count, -now);
    }
  }
  for (const Thread& t : trace_.threads()) {
    if (t.state == ThreadState::kBlocked && t.pending == Op::kSemWait) semaphores_[t.object].exact = true;
  }
}

void EnabledWalk::advance() {
  const Event& e = trace_.events()[position_];
  for (ThreadView& t : threads_) t.gave_way = false;
  ThreadView& self = threads_[e.thread];
  self.gave_way = has(e.op, kYields) || (e.flags & kSpin) != 0;
  ++self.done;
  self.live = e.op != Op::kThreadExit;
  take(e);
  locks_.step(position_, e);
  ++position_;
}

void EnabledWalk::take(const Event& e) {
  const uint32_t t = e.thread;
  auto lock = [&](ObjectId object, bool shared) {
    LockView& view = lock_views_[object];
    if (shared) {
      ++view.readers[t];
    } else {
      if (view.owner != t) view.depth = 0;  // its owner has died with it: a robust mutex
      view.owner = t;
      ++view.depth;
    }
  };
  auto unlock = [&](ObjectId object) {
    LockView& view = lock_views_[object];
    if (view.owner != kNoIndex) {
      if (view.depth > 0) --view.depth;
      if (view.depth == 0) view.owner = kNoIndex;
    } else if (const auto it = view.readers.find(t); it != view.readers.end()) {
      if (--it->second == 0) view.readers.erase(it);
    }
  };
  if (takes_lock(e)) return lock(e.object, is_shared_lock_request(e.op));
  if (is_unlock(e.op)) return unlock(e.object);
  switch (row(e.op).family) {
    case Family::kThreads:
      if (e.op == Op::kThreadCreate && (e.flags & kFailed) == 0) {
        const auto it = births_.find({t, ++created_[t]});
        if (it != births_.end()) threads_[it->second].live = (e.flags & kDisabledThread) == 0;
      }
      return;
    case Family::kSemaphores:
      if ((e.flags & (kFailed | kTimedOut)) != 0) return;
      semaphores_[e.object].count += has(e.op, kReleases) ? 1 : -1;
      return;
    case Family::kOnces:
      if (has(e.op, kReleases)) {
        once_.erase(e.object);
      } else if (e.value != 0) {
        once_[e.object] = t;
      }
      return;
    case Family::kConditions: break;
    default: return;
  }
  std::vector<uint32_t>& queue = queues_[e.object];
  if (e.op == Op::kCondWait || e.op == Op::kCondTimedWait) {
    const ObjectId mutex = locks_.mutex_of(e);
    if (mutex != kNoObject) unlock(mutex);
    threads_[t].signalled = false;
    queue.push_back(t);
  } else if (e.op == Op::kCondReacquire || e.op == Op::kCondTimedReacquire) {
    const ObjectId mutex = locks_.mutex_of(e);
    if (mutex != kNoObject) lock(mutex, false);
    threads_[t].signalled = false;
    std::erase(queue, t);
  } else if (e.op == Op::kCondSignal && !queue.empty()) {
    auto woken = queue.begin();
    if ((e.flags & kChoice) != 0) {
      const auto named = std::find_if(queue.begin(), queue.end(), [&](uint32_t w) { return trace_.threads()[w].id == e.value; });
      if (named != queue.end()) woken = named;
    }
    threads_[*woken].signalled = true;
    queue.erase(woken);
  } else if (e.op == Op::kCondBroadcast) {
    for (uint32_t w : queue) threads_[w].signalled = true;
    queue.clear();
  }
}

Standing EnabledWalk::lock_standing(uint32_t thread, Op op, ObjectId object, size_t next) const {
  const auto it = lock_views_.find(object);
  bool free = true;
  if (it != lock_views_.end()) {
    const LockView& view = it->second;
    // Where the run did not come to it, it says at its end whether the thread could have gone on.
    const bool could = next < trace_.events().size() || (!has(op, kTimed) && trace_.threads()[thread].state == ThreadState::kRunnable);
    // A thread that waits for its own mutex is in a deadlock with itself; one that goes on has a recursive mutex.
    if (view.owner == thread) {
      free = could;
    } else if (view.owner != kNoIndex) {
      // Who dies with a mutex leaves it to others if it is a robust one. The run shows it.
      free = !threads_[view.owner].live && could;
    }
    if (!is_shared_lock_request(op)) {
      for (const auto& [reader, count] : view.readers) free = free && reader == thread && could && count > 0;
    }
  }
  if (free) return Standing::kEnabled;
  if (!has(op, kBlocks)) return Standing::kEnabled;  // a try operation fails
  return has(op, kTimed) ? Standing::kTimeout : Standing::kBlocked;
}

Standing EnabledWalk::model(uint32_t thread, Op op, ObjectId object, size_t next) const {
  if (is_lock_request(op)) return lock_standing(thread, op, object, next);
  if (!has(op, kBlocks)) return Standing::kEnabled;
  const Standing otherwise = has(op, kTimed) ? Standing::kTimeout : Standing::kBlocked;
  switch (op) {
    case Op::kCondReacquire:
    case Op::kCondTimedReacquire: {
      const ObjectId mutex = locks_.wait_mutex(thread);
      const Standing take = mutex == kNoObject ? Standing::kEnabled : lock_standing(thread, Op::kMutexLock, mutex, trace_.events().size());
      if (take != Standing::kEnabled) return Standing::kBlocked;
      return threads_[thread].signalled ? Standing::kEnabled : otherwise;
    }
    case Op::kSemWait:
    case Op::kSemTimedWait: {
      const auto it = semaphores_.find(object);
      if (it != semaphores_.end() && it->second.count > 0) return Standing::kEnabled;
      return it != semaphores_.end() && it->second.exact ? otherwise : Standing::kUnknown;
    }
    case Op::kThreadJoin:
    case Op::kThreadTimedJoin: {
      const auto it = by_object_.find(object);
      if (it == by_object_.end()) return Standing::kUnknown;
      return threads_[it->second].live ? otherwise : Standing::kEnabled;
    }
    case Op::kOnceEnter:
    case Op::kGuardEnter: {
      const auto it = once_.find(object);
      return it == once_.end() || it->second == thread ? Standing::kEnabled : Standing::kBlocked;
    }
    case Op::kSleep: return Standing::kTimeout;
    default: return Standing::kUnknown;
  }
}

Stance EnabledWalk::stance(uint32_t thread) const {
  const ThreadView& view = threads_[thread];
  const Thread& t = trace_.threads()[thread];
  Stance s{};
  s.thread = thread;
  s.gave_way = view.gave_way;
  s.next = view.done < view.events.size() ? view.events[view.done] : trace_.events().size();
  if (s.next < trace_.events().size()) {
    const Event& e = trace_.events()[s.next];
    s.number = e.number;
    s.op = e.op;
    s.object = e.object;
    s.site = e.site;
  } else {
    s.number = (view.events.empty() ? 0 : trace_.events()[view.events.back()].number) + 1;
    s.op = t.pending;
    s.object = t.object;
    s.site = t.site;
  }
  if (s.next == position_ && !done()) {
    s.standing = (trace_.events()[s.next].flags & kTimedOut) != 0 ? Standing::kTimeout : Standing::kEnabled;
  } else {
    s.standing = model(thread, s.op, s.object, s.next);
    // At the end of the run its own word is better than the model's.
    if (done() && s.standing == Standing::kUnknown) s.standing = t.state == ThreadState::kBlocked ? Standing::kBlocked : Standing::kEnabled;
  }
  return s;
}

std::vector<Stance> EnabledWalk::stances() const {
  std::vector<Stance> all;
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].live) all.push_back(stance(i));
  }
  return all;
}

std::vector<uint32_t> EnabledWalk::waiters(ObjectId condition) const {
  const auto it = queues_.find(condition);
  return it == queues_.end() ? std::vector<uint32_t>{} : it->second;
}

}  // namespace heddle
